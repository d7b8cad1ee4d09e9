/**
 * The programs behind every published figure: each prints one line of JSON and compares two things
 * inside one run, because a machine's speed is nobody's finding. docs/benchmarks.md tells how to
 * run them and what they measured.
 */
@NullMarked
package dev.skipjack.benchmarks;

import org.jspecify.annotations.NullMarked;
