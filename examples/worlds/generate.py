#!/usr/bin/env python3
"""Writes trade_empire.kith, a world to explore: who trades what, where, and with whom.

    examples/worlds/generate.py            writes the file beside this script
    examples/worlds/generate.py --stdout   to standard output

The same text every time. Only Random.random() is used: its sequence is the same in all versions of
Python, which is not promised for choice() and its like.
"""

import random
import sys
from pathlib import Path

SECTORS = ["Core", "Rim", "Veil", "Expanse"]
STARS = """Altair Bellatrix Capella Deneb Electra Fomalhaut Gacrux Hadar Izar Jabbah Kochab Lesath Mira
Naos Okul Procyon Quasar Rigel Spica Tarazed Unukalhai Vega Wezen Xuange Yildun Zosma Acrux Becrux
Castor Dubhe""".split()
NUMERALS = ["I", "II", "III", "IV", "V", "VI"]
STATIONS = ["Highport", "Anchorage", "Relay", "Foundry", "Haven", "Terminal"]
CLIMATES = ["Desert", "Ocean", "Jungle", "Ice", "Temperate", "Barren"]
SPECIES = """Aurelian Brakk Cetari Dromi Ephyr Fenn Gorm Human Issari Kethlan Lumen Morrow""".split()
ALLIANCES = ["Concord", "Dominion", "Free_Worlds", "Lantern_Pact", "Iron_Ring", "Quiet_Accord"]
GOODS = """Alloys Antimatter Artworks Beryllium Ceramics Coffee Coolant Datacores Deuterium Dyes Enzymes
Fertilizer Gems Grain Helium Hides Holograms Ice_Cream Implants Lasers Medicine Microbes Nanites Opals Ore
Perfume Plastics Relics Robots Salt Seeds Silk Spices Tea Textiles Timber Tools Vaccines Water Wine""".split()
COMPANIES = """Astral_Freight Blue_Horizon Cargo_Kings Deep_Haul Eastern_Star Far_Reach Golden_Route
Helix_Lines Inter_System Jovian_Trust Kestrel_Cargo Longrun Meridian Nova_Charter Orbit_Express
Pale_Moon""".split()
FIRST = """Ada Bo Cleo Dax Edda Finn Gwen Hal Ines Jory Kaya Lev Mina Nils Oda Pax Quin Rhea Sol Tova Uri
Vela Wren Xan Yara Zeno""".split()
LAST = """Amber Brask Corso Drey Ennis Falk Grieve Hollow Irons Jansk Keel Lund Marrow Nacht Oren Pell
Quill Rook Sable Thorne""".split()
ADJECTIVES = """Amber Bold Crimson Distant Eager Faithful Gentle Hidden Iron Jolly Keen Lucky Merry Noble
Opal Patient Quiet Restless Silver Swift""".split()
NOUNS = """Albatross Bell Comet Dagger Ember Falcon Gull Heron Ibis Jackal Kite Lantern Meteor Nomad Otter
Pilgrim Raven Sparrow Tern Wanderer""".split()

# Each kind of ship is a prefab; all ships have what their kind has.
KINDS = [
    ("Freighter", "(IsA, Vessel), Armed, (BuiltFor, Cargo)", 120),
    ("Tanker", "(IsA, Vessel), (BuiltFor, Fuel)", 70),
    ("Courier", "(IsA, Vessel), Fast, (BuiltFor, Mail)", 100),
    ("Liner", "(IsA, Vessel), (BuiltFor, Passengers)", 50),
    ("Smuggler", "(IsA, Freighter), Fast, Unlicensed", 20),
]


class Dice:
    def __init__(self, seed):
        self.random = random.Random(seed).random

    def below(self, end):
        return int(self.random() * end)

    def chance(self, probability):
        return self.random() < probability

    def pick(self, things):
        return things[self.below(len(things))]

    def several(self, things, count):
        """That many different ones, in the order of `things`."""
        left = list(range(len(things)))
        taken = sorted(left.pop(self.below(len(left))) for _ in range(count))
        return [things[i] for i in taken]


class World:
    def __init__(self):
        self.lines = []
        self.depth = 0

    def line(self, text=""):
        self.lines.append("    " * self.depth + text if text else "")

    def has(self, entity, *ids):
        self.line(f"{entity}: {', '.join(ids)}")

    def open(self, entity, *ids):
        self.line(f"{entity}: {', '.join(ids)} {{")
        self.depth += 1

    def close(self):
        self.depth -= 1
        self.line("}")

    def heading(self, text):
        self.line()
        self.line(f"// {text}")

    def text(self):
        return "\n".join(self.lines) + "\n"


def pair(relation, target):
    return f"({relation}, {target})"


def write_rules(world):
    world.line("// A trade empire. Written by generate.py, which says what is in it; change that.")
    world.heading("What ships have room for, in tons.")
    world.line("struct Hold { tons: f32 (unit: \"t\", range: 0..1000), used: f32 (unit: \"t\") }")
    world.heading("What the relationships mean.")
    world.line("Transitive(LocatedIn)")
    world.line("Symmetric(AlliedWith)")
    world.line("Symmetric(AtWarWith)")
    for relation in ("DockedTo", "OwnedBy", "RuledBy", "LoyalTo"):
        world.line(f"Exclusive({relation})")
    world.line("Traversable(AnswersTo)")
    world.heading("Kinds of ships. What they have, each of their ships has.")
    world.has("Vessel", "Prefab", "Ship")
    for name, ids, _ in KINDS:
        world.has(name, "Prefab", ids)


def write_alliances(world, dice):
    world.heading("Alliances, and who is with or against whom.")
    for name in ALLIANCES:
        world.has(name, "Alliance")
    for i, one in enumerate(ALLIANCES):
        for other in ALLIANCES[i + 1:]:
            mood = dice.below(10)
            if mood < 3:
                world.line(f"AlliedWith({one}, {other})")
            elif mood < 5:
                world.line(f"AtWarWith({one}, {other})")


def write_species(world, dice):
    world.heading("Species, and the alliances that they stand by.")
    for name in SPECIES:
        world.has(name, "Species", pair("LoyalTo", dice.pick(ALLIANCES)))


def write_goods(world, dice):
    world.heading("Goods. Not all of them are welcome everywhere.")
    for name in GOODS:
        forbidden = [pair("ForbiddenBy", dice.pick(ALLIANCES))] if dice.chance(0.2) else []
        world.has(name, "Good", *forbidden)


def planet_facts(dice, star, makes):
    facts = ["Planet", dice.pick(CLIMATES), pair("LocatedIn", star), pair("RuledBy", dice.pick(ALLIANCES))]
    if dice.chance(0.7):
        facts.append(pair("HomeOf", dice.pick(SPECIES)))
    facts += [pair("Makes", good) for good in dice.several(makes, 1 + dice.below(3))]
    facts += [pair("Needs", good) for good in dice.several(GOODS, 1 + dice.below(3))]
    return facts


def write_planet(world, dice, name, facts):
    """Returns the names of its stations."""
    stations = dice.several(STATIONS, dice.below(3))
    if not stations:
        world.has(name, *facts)
        return []
    world.open(name, *facts)
    for station in stations:
        world.has(station, "Station", pair("LocatedIn", name))
    world.close()
    return stations


def write_map(world, dice):
    """Sectors, their stars, their planets, their stations. Returns the paths of ports."""
    world.heading("The map: each place is a child of the place around it, and located in it.")
    makes = [good for good in GOODS if good not in ("Relics", "Ice_Cream", "Antimatter")]
    ports = []
    per_sector = (len(STARS) + len(SECTORS) - 1) // len(SECTORS)
    for number, sector in enumerate(SECTORS):
        world.open(sector, "Sector")
        for star in STARS[number * per_sector:(number + 1) * per_sector]:
            world.open(star, "Star", pair("LocatedIn", sector))
            for numeral in NUMERALS[:2 + dice.below(5)]:
                planet = f"{star}_{numeral}"
                path = f"{sector}.{star}.{planet}"
                ports.append(path)
                stations = write_planet(world, dice, planet, planet_facts(dice, star, makes))
                ports += [f"{path}.{station}" for station in stations]
            world.close()
        world.close()
    return ports


def write_companies(world, dice):
    world.heading("Companies.")
    for name in COMPANIES:
        world.has(name, "Company", pair("LoyalTo", dice.pick(ALLIANCES)))


def write_traders(world, dice):
    """Every company has a chain of command: each trader answers to one who came before."""
    world.heading("Traders.")
    names = [f"{first}_{last}" for first in FIRST for last in LAST]
    staff = {company: [] for company in COMPANIES}
    for name in dice.several(names, 200):
        company = dice.pick(COMPANIES)
        facts = ["Trader", pair("WorksFor", company), pair("MemberOf", dice.pick(SPECIES))]
        if staff[company]:
            facts.append(pair("AnswersTo", dice.pick(staff[company][:6])))
        facts += [pair("Sells", good) for good in dice.several(GOODS, 1 + dice.below(2))]
        staff[company].append(name)
        world.has(name, *facts)
    return staff


def write_ships(world, dice, ports, staff):
    world.heading("Ships, where they are and what they carry.")
    names = [f"{adjective}_{noun}" for adjective in ADJECTIVES for noun in NOUNS]
    total = sum(count for _, _, count in KINDS)
    chosen = dice.several(names, total)
    rooms = Dice(64)
    kinds = [name for name, _, count in KINDS for _ in range(count)]
    for name in chosen:
        kind = kinds.pop(dice.below(len(kinds)))
        company = dice.pick(COMPANIES)
        facts = [pair("IsA", kind), pair("OwnedBy", company)]
        if staff[company]:
            facts.append(pair("FlownBy", dice.pick(staff[company])))
        if dice.chance(0.75):
            facts.append(pair("DockedTo", dice.pick(ports)))
        facts += [pair("Carries", good) for good in dice.several(GOODS, dice.below(3))]
        if dice.chance(0.1):
            facts.append("Damaged")
        # Numbers of their own: the other facts do not depend on them.
        tons = 10 * (4 + rooms.below(40))
        facts.append(f"Hold = {{tons: {tons}, used: {rooms.below(tons)}}}")
        world.has(name, *facts)


def trade_empire():
    dice, world = Dice(2150), World()
    write_rules(world)
    write_alliances(world, dice)
    write_species(world, dice)
    write_goods(world, dice)
    ports = write_map(world, dice)
    write_companies(world, dice)
    staff = write_traders(world, dice)
    write_ships(world, dice, ports, staff)
    return world.text()


def main():
    if sys.argv[1:] == ["--stdout"]:
        sys.stdout.write(trade_empire())
    elif not sys.argv[1:]:
        Path(__file__).with_name("trade_empire.kith").write_text(trade_empire(), encoding="utf-8")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
