package dev.skipjack.operations.diagnosis;

import dev.skipjack.sql.DoctorCheck;

/** The checks of the doctor: their names, and what a finding means. */
enum Check implements DoctorCheck {
  SCHEMA_VERSION("A program needs the schema that it was built for."),
  SETTINGS(
      "Without these settings, a crash of the server can lose committed jobs or corrupt data."),
  POOLER(
      "A pooler in transaction mode delivers no notifications, so workers find jobs by polling, and"
          + " needs prepareThreshold=0."),
  CLOCK(
      "The queue uses the database clock only; a difference confuses logs and times that the"
          + " application computes."),
  CONNECTIONS("Without free connections, workers cannot claim jobs or renew leases."),
  NOTIFY_QUEUE(
      "When the queue of notifications is full, every transaction that enqueues with a wake-up"
          + " fails at its commit."),
  VACUUM_HORIZON(
      "While an old snapshot is held, vacuum removes no dead rows, and claims become slower."),
  DEAD_ROWS("Dead rows that vacuum has not removed make claims and listings slower."),
  INDEX_SIZE("Indexes that are mostly empty waste memory and make claims slower."),
  PARTITIONS("Without a partition for the current time, jobs can neither start nor be archived."),
  LEASES("Jobs whose lease has expired wait for a worker that rescues them."),
  WORKERS("Without a living worker, no job runs."),
  KINDS("Jobs of a kind that no living worker of their queue handles never run."),
  PAUSED_QUEUES("The jobs of a paused queue wait until its pause ends."),
  LIMITS("A rate that is closed holds all its jobs; a limit that no queue obeys holds none."),
  DEAD_JOBS("Dead jobs stay until an operator redrives or prunes them."),
  LONG_ATTEMPTS(
      "A handler that hangs keeps its slot, and its lease is renewed as long as its worker lives."),
  SCHEDULES("A schedule that cannot fire, or whose jobs no worker handles, does no work."),
  BLOCKED_KEYS("The jobs behind a dead job of their ordering key wait for an operator."),
  EXTENSIONS("The checks of a module on the class path did not run.");

  private final String meaning;

  Check(String meaning) {
    this.meaning = meaning;
  }

  @Override
  public String meaning() {
    return meaning;
  }
}
