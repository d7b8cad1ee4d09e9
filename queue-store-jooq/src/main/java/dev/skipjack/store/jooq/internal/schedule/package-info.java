/**
 * Stores the definitions of schedules, and contains the statements that fire them.
 *
 * <p>A schedule is a row of {@code job_schedules}, which holds its definition and its next planned
 * time. Workers read due rows without locks, calculate in Java the jobs and the next planned time
 * of each schedule, and write both in one statement for the whole batch ({@link
 * dev.skipjack.store.jooq.internal.schedule.FireSchedulesStatement}). The statement locks only rows
 * that have not changed since they were read, so exactly one of any number of workers fires a
 * schedule, and no leader is needed. All cron arithmetic happens in Java; the database's clock
 * decides what is due (docs/adr/0034).
 */
@NullMarked
package dev.skipjack.store.jooq.internal.schedule;

import org.jspecify.annotations.NullMarked;
