/** Proves the worker: its parts against a store in memory, the whole against PostgreSQL. */
@NullMarked
package dev.skipjack.worker;

import org.jspecify.annotations.NullMarked;
