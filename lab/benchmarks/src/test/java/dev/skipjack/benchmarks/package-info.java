@NullMarked
package dev.skipjack.benchmarks;

import org.jspecify.annotations.NullMarked;
