"""Plots of what a fit found, and its HTML report."""

from samara.report.facts import column_facts
from samara.report.html import write_report
from samara.report.importance import permutation_importance
from samara.report.run import ColumnFacts, Evaluation, Importance, Run
from samara.report.scores import pareto_front
from samara.report.selection import SelectionDisplay
from samara.report.spectrum import SpectrumDisplay
from samara.report.trace import MemoryTrace, MemoryWatch

__all__ = [
    "ColumnFacts",
    "Evaluation",
    "Importance",
    "MemoryTrace",
    "MemoryWatch",
    "Run",
    "SelectionDisplay",
    "SpectrumDisplay",
    "column_facts",
    "pareto_front",
    "permutation_importance",
    "write_report",
]
