"""Two kinds of contract for import-linter that its own kinds do not cover. Both skip packages that do not exist yet.

`reach`      what some packages may import: themselves, what is listed, and the standard library; nothing else
`importers`  who may import some modules, directly: those listed and the modules' own package; nobody else
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import cast

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

__all__ = ["ImportersContract", "ReachContract"]


def within(module: str, packages: Iterable[str]) -> bool:
    """Whether `module` is one of `packages` or stands below one of them."""
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def below(graph: ImportGraph, packages: Iterable[str]) -> Iterator[str]:
    """The modules of the graph that are one of `packages` or stand below one."""
    return (module for module in sorted(graph.modules) if within(module, packages))


def lines(graph: ImportGraph, importer: str, imported: str) -> list[str]:
    """One printable line for each place where `importer` imports `imported`."""
    details = graph.get_import_details(importer=importer, imported=imported)
    return [f"{importer} imports {imported} (line {detail['line_number']})" for detail in details]


class _Listed(Contract):
    """What both kinds share: a list of modules and a report of one line for each import that breaks the rule."""

    modules = fields.ListField(subfield=fields.StringField())

    def broken(self, graph: ImportGraph) -> list[str]:
        """The imports that break the rule."""
        raise NotImplementedError

    def named(self, field: str) -> list[str]:
        """The names in one of this contract's list fields."""
        return cast("list[str]", getattr(self, field))

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        broken = self.broken(graph)
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for line in check.metadata["broken"]:
            output.print_error(line)


class ReachContract(_Listed):
    """`modules` may import themselves, each other's own package only, `may_import`, and the standard library. What stands below
    `leave_out` has a rule of its own."""

    type_name = "reach"
    may_import = fields.ListField(subfield=fields.StringField())
    leave_out = fields.ListField(subfield=fields.StringField(), required=False, default=[])

    def broken(self, graph: ImportGraph) -> list[str]:
        allowed = self.named("may_import")
        # `waypost` alone allows the empty root package with the version, not everything below it.
        packages = [name for name in allowed if name != "waypost"]
        found: list[str] = []
        for package in self.named("modules"):
            for importer in below(graph, [package]):
                if within(importer, self.named("leave_out")):
                    continue
                for imported in sorted(graph.find_modules_directly_imported_by(importer)):
                    free = imported.partition(".")[0] in sys.stdlib_module_names or imported in allowed
                    if not free and not within(imported, [package, *packages]):
                        found += lines(graph, importer, imported)
        return found


class ImportersContract(_Listed):
    """`modules` may be imported only by `importers` and from within their own package."""

    type_name = "importers"
    importers = fields.ListField(subfield=fields.StringField())

    def broken(self, graph: ImportGraph) -> list[str]:
        found: list[str] = []
        for package in self.named("modules"):
            for imported in below(graph, [package]):
                for importer in sorted(graph.find_modules_that_directly_import(imported)):
                    if not within(importer, [package, *self.named("importers")]):
                        found += lines(graph, importer, imported)
        return found
