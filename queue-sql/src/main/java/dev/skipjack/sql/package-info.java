/**
 * Runs statements. A {@link dev.skipjack.sql.Statement} is a text with its binding and its row
 * reader, and {@link dev.skipjack.sql.OwnTransactions} or a {@link dev.skipjack.sql.Session} runs
 * it. {@link dev.skipjack.sql.JobPredicates} and {@link dev.skipjack.sql.PausePredicates} define
 * the conditions that statements of several packages share.
 *
 * <p>A {@link dev.skipjack.sql.SchemaExtension} adds {@linkplain dev.skipjack.sql.DoctorCheck
 * checks} and partitions of another module to the doctor and to maintenance.
 *
 * <p>The package is public only so that the queue's other modules can use it. It is not part of the
 * API.
 */
@NullMarked
package dev.skipjack.sql;

import org.jspecify.annotations.NullMarked;
