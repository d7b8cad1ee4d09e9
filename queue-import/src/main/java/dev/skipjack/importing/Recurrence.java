package dev.skipjack.importing;

import dev.skipjack.api.schedule.Timing;

/**
 * The schedule that a row of another queue becomes.
 *
 * @param name the name of the schedule
 * @param timing when it fires
 * @param paused whether it is paused
 * @param skipsMissed whether times that were missed are skipped
 * @param exclusive whether it skips planned times at which an earlier job is still live
 */
record Recurrence(
    String name, Timing timing, boolean paused, boolean skipsMissed, boolean exclusive) {}
