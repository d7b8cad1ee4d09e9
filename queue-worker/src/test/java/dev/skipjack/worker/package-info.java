/** Tests the worker and its parts, with an in-memory store or with PostgreSQL. */
@NullMarked
package dev.skipjack.worker;

import org.jspecify.annotations.NullMarked;
