"""Recipe of kith for Conan 2: conan create packaging/conan. Not run by kith's tests, which have no conan."""

from pathlib import Path
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class KithRecipe(ConanFile):
    name = "kith"
    license = "MIT"
    description = "Entity component system with relationships"
    topics = ("ecs", "entity-component-system", "relationships")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {
        "shared": [True, False],
        "fPIC": [True, False],
        "exceptions": [True, False],
        "asserts": [True, False],
        "text": [True, False],
    }
    default_options = {"shared": False, "fPIC": True, "exceptions": True, "asserts": False, "text": True}

    def set_version(self):
        text = (Path(self.recipe_folder).parent.parent / "CMakeLists.txt").read_text()
        self.version = re.search(r"project\(kith VERSION ([\d.]+)", text)[1]

    def config_options(self):
        if self.settings.os == "Windows":
            del self.options.fPIC

    def export_sources(self):
        top = Path(self.recipe_folder).parent.parent
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*", "debugger/*", "bindings/python/*"):
            copy(self, pattern, top, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.variables["KITH_BUILD_TESTS"] = False
        toolchain.variables["KITH_BUILD_EXAMPLES"] = False
        toolchain.variables["KITH_BUILD_APPS"] = False
        toolchain.variables["KITH_NO_EXCEPTIONS"] = not self.options.exceptions
        toolchain.variables["KITH_ASSERTS"] = bool(self.options.asserts)
        toolchain.variables["KITH_CORE_ONLY"] = not self.options.text
        toolchain.variables["KITH_C_API"] = True
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, Path(self.package_folder) / "licenses")
        CMake(self).install()

    def package_info(self):
        definitions = []
        if not self.options.exceptions:
            definitions.append("KITH_NO_EXCEPTIONS=1")
        if self.options.asserts:
            definitions.append("KITH_ASSERTS=1")
        self.cpp_info.set_property("cmake_file_name", "kith")
        for component, library in {"kith": "kith", "core": "kith-core", "c": "kith-c"}.items():
            info = self.cpp_info.components[component]
            info.set_property("cmake_target_name", f"kith::{component}")
            info.libs = [library]
            if component != "c":
                info.defines = definitions
            if self.settings.os == "Linux":
                info.system_libs = ["pthread", "m"]
