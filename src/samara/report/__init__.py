"""Plots of what a fit found, and its HTML report."""

from samara.report.explanation import Explanation, explain
from samara.report.facts import column_facts, profile_facts
from samara.report.html import write_report
from samara.report.importance import permutation_importance
from samara.report.run import ColumnFacts, Evaluation, Importance, Run
from samara.report.scores import pareto_front
from samara.report.selection import SelectionDisplay
from samara.report.spectrum import SpectrumDisplay
from samara.report.trace import MemoryTrace, MemoryWatch
from samara.report.tradeoff import Tried, draw_tradeoff

__all__ = [
    "ColumnFacts",
    "Evaluation",
    "Explanation",
    "Importance",
    "MemoryTrace",
    "MemoryWatch",
    "Run",
    "SelectionDisplay",
    "SpectrumDisplay",
    "Tried",
    "column_facts",
    "draw_tradeoff",
    "explain",
    "pareto_front",
    "permutation_importance",
    "profile_facts",
    "write_report",
]
