/**
 * Schedules: their definitions, and the statements that fire them.
 *
 * <p>A schedule is a row of {@code job_schedules}, which holds its definition and the time of its
 * next fire. Workers read due rows without locks, calculate in Java what each enqueues and when it
 * fires next, and do both in one statement for the whole batch ({@link
 * dev.skipjack.store.jooq.internal.schedule.FireSchedulesStatement}). The statement locks only rows
 * that are still as they were read, so of any number of workers one fires, and no leader is needed.
 * All cron arithmetic happens in Java; the database's clock decides what is due (docs/adr/0034).
 */
@NullMarked
package dev.skipjack.store.jooq.internal.schedule;

import org.jspecify.annotations.NullMarked;
