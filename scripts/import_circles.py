"""A contract of import-linter: no module imports itself by way of others.

import-linter's own `acyclic_siblings` looks at whole folders: it refuses two folders that import each other even if no
module imports itself.
"""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, output


class NoCircles(Contract):
    """All modules of the graph can be put in an order in which each one imports only those before it."""

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Look for one circle; imports for type checkers count as well."""
        imports = {module: graph.find_modules_directly_imported_by(module) for module in sorted(graph.modules)}
        try:
            TopologicalSorter(imports).prepare()
        except CycleError as error:
            # Graphlib goes from what is imported to what imports it.
            return ContractCheck(kept=False, metadata={"circle": list(reversed(error.args[1]))})
        return ContractCheck(kept=True)

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Name the modules of the circle in the order of their imports."""
        for importer, imported in zip(check.metadata["circle"], check.metadata["circle"][1:], strict=False):
            output.print_error(f"{importer} imports {imported}")
