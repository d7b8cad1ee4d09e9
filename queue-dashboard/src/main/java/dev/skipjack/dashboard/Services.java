package dev.skipjack.dashboard;

import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.operations.JobOperations;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.schedule.Schedules;
import dev.skipjack.outbox.OutboxAdmin;
import java.time.Clock;

/**
 * The objects that all requests share.
 *
 * @param settings the settings
 * @param reads the queries
 * @param signer signs forms and logins
 * @param enqueuer enqueues jobs
 * @param admin changes jobs and queues
 * @param operations changes many jobs
 * @param schedules changes schedules
 * @param outbox changes events
 * @param runner runs the operations that users start
 * @param clock the clock from which ages are computed
 */
record Services(
    Settings settings,
    Reads reads,
    Signer signer,
    JobEnqueuer enqueuer,
    QueueAdmin admin,
    JobOperations operations,
    Schedules schedules,
    OutboxAdmin outbox,
    OperationRunner runner,
    Clock clock) {}
