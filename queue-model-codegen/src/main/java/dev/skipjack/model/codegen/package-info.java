/**
 * Builds queue-model's sources: embedded PostgreSQL, our migrations, jOOQ's generator. Not
 * published; run by {@code ./mvnw -Pcodegen} and by the test that fails when the checked-in sources
 * differ.
 */
@NullMarked
package dev.skipjack.model.codegen;

import org.jspecify.annotations.NullMarked;
