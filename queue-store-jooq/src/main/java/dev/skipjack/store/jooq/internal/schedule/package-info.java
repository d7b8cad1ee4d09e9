/**
 * Stores the definitions of schedules, and contains the statements that fire them.
 *
 * <p>A schedule is a row of {@code job_schedules}, which holds its definition and its next planned
 * time. Workers read due rows without locks, calculate the jobs and the next planned time of each
 * schedule in Java, and write a batch in one statement ({@link
 * dev.skipjack.store.jooq.internal.schedule.FireSchedulesStatement}). The statement locks only rows
 * that have not changed since they were read, so exactly one worker fires a schedule, and no leader
 * is needed. The database's clock decides what is due (docs/adr/0034).
 */
@NullMarked
package dev.skipjack.store.jooq.internal.schedule;

import org.jspecify.annotations.NullMarked;
