/**
 * The programs behind every published figure. Absolute speed depends on the machine, so most
 * benchmarks compare variants within one run and report their ratio, as a table or as one line of
 * JSON. docs/benchmarks.md describes the benchmarks, and docs/performance.md contains the results.
 */
@NullMarked
package dev.skipjack.benchmarks;

import org.jspecify.annotations.NullMarked;
