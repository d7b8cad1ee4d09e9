/**
 * Runs statements. A {@link dev.skipjack.sql.Statement} is a text with its binding and its row
 * reader, and {@link dev.skipjack.sql.OwnTransactions} or a {@link dev.skipjack.sql.Session} runs
 * it. {@link dev.skipjack.sql.JobPredicates} and {@link dev.skipjack.sql.PausePredicates} are the
 * conditions that statements of several packages share, and {@link dev.skipjack.sql.LooseScan}
 * finds the groups of an index.
 *
 * <p>A {@link dev.skipjack.sql.SchemaExtension} adds {@linkplain dev.skipjack.sql.DoctorCheck
 * checks} and partitions of another module to the doctor and to maintenance.
 *
 * <p>Public only so that the queue's other modules can use it; not part of the API. Takes table and
 * column names only from the generated model.
 */
@NullMarked
package dev.skipjack.sql;

import org.jspecify.annotations.NullMarked;
