/**
 * Generates queue-model's sources: runs the migrations on an embedded PostgreSQL, and then jOOQ's
 * generator. Not published; run by {@code ./mvnw -Pcodegen} and by the test that fails when the
 * checked-in sources differ.
 */
@NullMarked
package dev.skipjack.model.codegen;

import org.jspecify.annotations.NullMarked;
