#!/usr/bin/env python3
"""What the shell does on a terminal: editing, history, completion, ctrl-C; and what pipes do to it."""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from terminal import Session

WORLDS = Path(__file__).resolve().parent.parent.parent / "examples/worlds"
PROGRAM = None

CTRL_A, CTRL_C, CTRL_D, UP = "\x01", "\x03", "\x04", "\x1b[A"


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for world in WORLDS.glob("*.kith"):
            shutil.copy(world, self.folder)

    def shell(self, *arguments, **environment):
        session = Session(str(PROGRAM), ["shell", *arguments], self.folder, **environment)
        self.addCleanup(session.__exit__)
        session.wait_for_prompt()
        return session


class Editing(Case):
    def test_keys_move_the_cursor(self):
        shell = self.shell("solar.kith")
        self.assertIn("ESA", shell.enter("gency" + CTRL_A + "A"))

    def test_names_that_are_not_ascii_are_typed_like_others(self):
        shell = self.shell()
        shell.enter("+ Person(Zoë)")
        self.assertEqual(shell.enter("Person")[2], "Zoë")

    def test_history_comes_back_in_the_next_session(self):
        first = self.shell("solar.kith")
        first.enter("Agency")
        self.assertEqual(first.end(), 0)
        second = self.shell("solar.kith")
        second.type(UP + UP)  # above :quit
        second.wait_for("kith> Agency")
        self.assertIn("NASA", second.enter(""))

    def test_lines_of_one_entry_are_one_line_of_history(self):
        shell = self.shell("solar.kith")
        shell.enter("Planet,")
        shell.enter("Giant")
        shell.type(UP)
        shell.wait_for("kith> Planet, Giant")

    def test_without_a_place_for_history_it_works_all_the_same(self):
        shell = self.shell("solar.kith", XDG_STATE_HOME="/proc/nowhere", HOME="/proc/nowhere")
        self.assertIn("ESA", shell.enter("Agency"))
        self.assertEqual(shell.end(), 0)

    def test_ctrl_d_ends_it(self):
        self.assertEqual(self.shell().end(CTRL_D), 0)

    def test_a_mistake_does_not(self):
        shell = self.shell("solar.kith")
        self.assertIn("did you mean 'Planet'", " ".join(shell.enter("Plnet")))
        self.assertIn("Earth", shell.enter("Planet, Inhabited"))
        self.assertEqual(shell.end(), 0)


class Changes(Case):
    def setUp(self):
        super().setUp()
        (self.folder / "ships.kith").write_text(
            "struct Hold { tons: f32 (range: 0..100) }\nBell: Ship, Hold = {40}\nAnna: Ship, Hold = {8}\n")

    def test_a_value_is_set_by_its_path(self):
        shell = self.shell("ships.kith")
        self.assertEqual(shell.enter("Bell.Hold.tons = 60"), [])
        self.assertIn("  Hold = {tons: 60}", shell.enter(":show Bell"))

    def test_a_mistake_is_shown_below_the_line(self):
        shell = self.shell("ships.kith")
        shown = shell.enter("Bell.Hold.tons = 600")
        self.assertIn("1:18: Hold.tons: 600 is outside of 0..100", shown)
        self.assertIn("                     ^^^", shown)
        self.assertIn("  Hold = {tons: 40}", shell.enter(":show Bell"))

    def test_a_fact_with_a_value_is_added(self):
        shell = self.shell("ships.kith")
        self.assertEqual(shell.enter("+ Hold(Dora) = {12}"), ["added 1 fact, 1 new entity"])
        self.assertIn("  Hold = {tons: 12}", shell.enter(":show Dora"))

    def test_a_value_may_take_several_lines(self):
        shell = self.shell("ships.kith")
        shell.enter("Bell.Hold = {")
        shell.enter("tons: 5")
        shell.enter("}")
        self.assertIn("  Hold = {tons: 5}", shell.enter(":show Bell"))

    def test_snapshots_keep_states(self):
        shell = self.shell("ships.kith")
        self.assertEqual(shell.enter(":snapshot first"), ["took snapshot first"])
        shell.enter("Bell.Hold.tons = 60")
        shell.enter(":delete Anna")
        self.assertEqual(shell.enter(":diff first"),
                         ["- Hold(Anna) = {tons: 8}", "- Ship(Anna)", "- Anna", "~ Hold(Bell).tons: 40 -> 60"])
        self.assertEqual(shell.enter(":restore first"), ["restored first"])
        self.assertIn("2 results", " ".join(shell.enter("Ship")))

    def test_changes_are_undone_and_made_again(self):
        shell = self.shell("ships.kith")
        shell.enter("Bell.Hold.tons = 60")
        shell.enter("- Ship(Anna)")
        self.assertEqual(shell.enter(":undo"), ["took back: - Ship(Anna)"])
        self.assertEqual(shell.enter(":undo"), ["took back: Bell.Hold.tons = 60"])
        self.assertEqual(shell.enter(":undo"), ["there is nothing to undo"])
        self.assertEqual(shell.enter(":redo"), ["made again: Bell.Hold.tons = 60"])
        self.assertIn("  Hold = {tons: 60}", shell.enter(":show Bell"))

    def test_a_query_that_was_stopped_leaves_no_step(self):
        shell = self.shell("trade_empire.kith")
        row = shell.screen.row
        shell.type("Trader($a), Trader($b), Trader($c), Trader($d), Alliance\r")
        shell.wait(lambda: shell.screen.row > row and not shell.is_editing(), "the end of editing")
        shell.type(CTRL_C)
        shell.wait_for_prompt(row)
        self.assertEqual(shell.enter(":undo"), ["there is nothing to undo"])

    def test_names_of_snapshots_are_completed(self):
        shell = self.shell("ships.kith")
        shell.enter(":snapshot before_lunch")
        shell.type(":restore bef\t")
        shell.wait_for("kith> :restore before_lunch")


class Completion(Case):
    def completed(self, typed, expected):
        shell = self.shell("solar.kith")
        shell.type(typed + "\t")
        shell.wait_for("kith> " + expected)

    def test_a_name(self):
        self.completed("Inhab", "Inhabited")

    def test_inside_of_a_query(self):
        self.completed("Planet, (Orb", "Planet, (Orbits")

    def test_children_by_their_path(self):
        self.completed("LocatedIn($this, Mars.Ol", "LocatedIn($this, Mars.Olympus_Mons")
        self.completed("LocatedIn($this, Mars::Ol", "LocatedIn($this, Mars::Olympus_Mons")

    def test_a_child_is_found_by_its_name(self):
        self.completed("Jez", "Mars.Jezero")

    def test_what_every_world_has(self):
        self.completed("+ Transi", "+ Transi")  # Transient and Transitive
        self.completed("+ Transit", "+ Transitive")

    def test_words_of_the_language(self):
        self.completed("Planet(casc", "Planet(cascade")

    def test_commands(self):
        self.completed(":sch", ":schema")
        self.completed(":sn", ":snapshot")
        self.completed(":un", ":undo")

    def test_files(self):
        (self.folder / "worlds").mkdir()
        (self.folder / "worlds/tiny.kith").touch()
        self.completed(":load sol", ":load solar.kith")
        self.completed(":save wo", ":save worlds/")
        self.completed(":load worlds/", ":load worlds/tiny.kith")

    def test_a_whole_word_is_followed_by_a_space(self):
        shell = self.shell("solar.kith")
        shell.type("Inhab\t, Plan\t")
        shell.wait_for("kith> Inhabited , Planet")
        self.assertIn("Earth", shell.enter(""))

    def test_names_are_quoted_where_they_must_be(self):
        shell = self.shell()
        shell.enter('+ "Old Town": Place { "High Street": Road }')
        shell.type("Old\t")
        shell.wait_for('kith> "Old Town"')
        shell.type('\x15Road, (ChildOf, "Old T\t)\r')
        shell.wait_for("Old Town.High Street")
        shell.wait(lambda: shell.screen.current().strip() == "kith>", "the next prompt")
        shell.type('"Old Town".Hi\t')
        shell.wait_for('kith> "Old Town"."High Street"')

    def test_several_are_listed(self):
        shell = self.shell("solar.kith")
        shell.type("E\t")
        shell.wait_for("Enceladus")
        shell.wait(lambda: shell.screen.current() == "kith> E", "the line once more")
        listed = " ".join(shell.screen.text())
        for name in ("ESA", "Earth", "Europa"):
            self.assertIn(name, listed)

    def test_nothing_fits(self):
        shell = self.shell("solar.kith")
        shell.type("Xyz\t")
        shell.type("\x15")  # drops what was typed
        self.assertIn("ESA", shell.enter("Agency"))


class Interrupts(Case):
    def stopped(self, query):
        shell = self.shell("trade_empire.kith")
        row = shell.screen.row
        shell.type(query + "\r")
        shell.wait(lambda: shell.screen.row > row and not shell.is_editing(), "the end of editing")
        shell.type(CTRL_C)
        shell.wait_for_prompt(row)
        self.assertIn("(stopped)", " ".join(shell.screen.text(row)))
        self.assertIn("12 results", " ".join(shell.enter("Species")))
        self.assertEqual(shell.end(), 0)

    def test_a_query_with_too_many_results(self):
        self.stopped("Trader($a), Trader($b), Trader($c), Trader($d), Alliance")

    def test_a_search_without_results(self):
        traders = "Trader($a), Trader($b), Trader($c), Trader($d)"
        self.stopped(traders + ", !{" + traders + "}")

    def test_printing_ends_too(self):
        shell = self.shell("trade_empire.kith", "--limit", "0")
        row = shell.screen.row
        shell.type("Species($a), Species($b), Species($c), Species($d)\r")
        shell.wait(lambda: shell.screen.row > row + 2000, "output")
        shell.type(CTRL_C)
        shell.wait_for_prompt(row)
        self.assertIn("(stopped)", " ".join(shell.screen.text(row)))
        self.assertIn("12 results", " ".join(shell.enter("Species")))

    def test_at_the_prompt_it_drops_the_line(self):
        shell = self.shell("solar.kith")
        row = shell.screen.row
        shell.type("Planet, (" + CTRL_C)
        shell.wait_for_prompt(row)
        self.assertIn("ESA", shell.enter("Agency"))

    def test_and_all_lines_before_it(self):
        shell = self.shell("solar.kith")
        shell.enter("Planet,")
        row = shell.screen.row
        shell.type(CTRL_C)
        shell.wait(lambda: shell.screen.row > row and shell.screen.current().startswith("kith>"), "a prompt")
        self.assertIn("ESA", shell.enter("Agency"))


class Limits(Case):
    def test_a_terminal_shows_a_thousand_rows_and_the_full_count(self):
        shell = self.shell("trade_empire.kith")
        shown = shell.enter("Species($a), Species($b), Species($c)")
        self.assertIn("… and 728 more", " ".join(shown))
        self.assertIn("1728 results", " ".join(shown))


class Looks(Case):
    def colours(self, **environment):
        seen = []
        shell = Session(str(PROGRAM), ["shell", "solar.kith"], self.folder, **environment)
        self.addCleanup(shell.__exit__)
        feed = shell.screen.feed
        shell.screen.feed = lambda text: (seen.append(text), feed(text))
        shell.wait_for_prompt()
        shell.enter("Agency")
        return "\x1b[1m" in "".join(seen)

    def test_colours_on_a_terminal(self):
        self.assertTrue(self.colours(NO_COLOR=""))

    def test_not_for_those_who_want_none(self):
        self.assertFalse(self.colours(NO_COLOR="1"))
        self.assertFalse(self.colours(NO_COLOR="", TERM="dumb"))


class Pipes(Case):
    def test_whoever_reads_may_stop_reading(self):
        for disposition in (signal.SIG_DFL, signal.SIG_IGN):
            kith = subprocess.Popen([PROGRAM, "query", "trade_empire.kith", "(*,*)", "--format", "csv"],
                                    cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                    restore_signals=False,
                                    preexec_fn=lambda: signal.signal(signal.SIGPIPE, disposition))
            kith.stdout.readline()
            kith.stdout.close()
            self.assertEqual(kith.stderr.read(), b"")
            kith.stderr.close()
            kith.wait()

    def test_a_full_disk_is_told(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "query", "solar.kith", "Planet"], cwd=self.folder, stdout=full,
                                  stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"standard output", done.stderr)

    def test_a_missing_dot_is_told(self):
        done = subprocess.run([PROGRAM, "query", "solar.kith", "Planet", "--graph", "x.svg"], cwd=self.folder,
                              env={"PATH": "/nowhere"}, capture_output=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"apt-get install graphviz", done.stderr)

    def test_in_place_keeps_permissions_and_links(self):
        world, link = self.folder / "solar.kith", self.folder / "link.kith"
        world.write_text("Planet( Earth )\n")
        world.chmod(0o640)
        link.symlink_to(world.name)
        subprocess.run([PROGRAM, "fmt", "--in-place", "link.kith"], cwd=self.folder, check=True)
        self.assertTrue(link.is_symlink())
        self.assertEqual(world.read_text(), "Planet(Earth)\n")
        self.assertEqual(world.stat().st_mode & 0o777, 0o640)

    def test_a_drawing_is_an_svg(self):
        if not shutil.which("dot"):
            self.skipTest("Graphviz is missing")
        subprocess.run([PROGRAM, "query", "solar.kith", "Moon, (Orbits, $p)", "--graph", "moons.svg"],
                       cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
        drawn = (self.folder / "moons.svg").read_text(encoding="utf-8")
        self.assertIn("<svg", drawn)
        self.assertIn("Ganymede", drawn)

    def test_a_query_of_megabytes_is_refused(self):
        lines = b"Planet, " * 200_000 + b"Planet\n"
        done = subprocess.run([PROGRAM, "shell", "solar.kith"], cwd=self.folder, input=lines, capture_output=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"longer than a megabyte", done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, required=True, help="the command line tool")
    arguments, rest = parser.parse_known_args()
    PROGRAM = arguments.program.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
