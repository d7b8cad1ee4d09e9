package dev.skipjack.store.jooq.internal.schedule;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobType;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.store.jooq.internal.QueueExtension.JobFactory;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A schedule that code declares: its definition with the encoded payload, and a hash that shows
 * whether a later declaration is the same.
 */
record Declaration(Schedule schedule, StoredSchedule.Definition definition, String hash) {

  /**
   * Encodes a schedule.
   *
   * @throws dev.skipjack.api.PayloadException if its payload is rejected
   */
  static Declaration of(Schedule schedule, JobFactory jobs) {
    StoredSchedule.Definition definition =
        new StoredSchedule.Definition(
            StoredTiming.of(schedule.timing()),
            schedule.missed(),
            schedule.overlap(),
            schedule.jitter(),
            job(schedule, jobs),
            schedule.description().orElse(null),
            schedule.needsCode());
    return new Declaration(
        schedule,
        definition,
        hash(
            definition + " " + schedule.timing() + " authoritative=" + schedule.isAuthoritative()));
  }

  private static StoredSchedule.Job job(Schedule schedule, JobFactory jobs) {
    JobType<?> type = schedule.type();
    EnqueueOptions options = schedule.options();
    @Nullable String payload =
        schedule.makesPayload() ? null : newJob(schedule, Instant.EPOCH, jobs).payload();
    NewJob job = NewJob.of(type, "null", options);
    return new StoredSchedule.Job(
        job.queue(),
        job.kind(),
        payload,
        job.payloadVersion(),
        job.priority(),
        job.maxAttempts(),
        List.copyOf(job.tags()));
  }

  /** Returns the job for a planned time, with the payload that code creates. */
  static NewJob newJob(Schedule schedule, Instant fire, JobFactory jobs) {
    return schedule.job(
        fire,
        new Schedule.Creation<>() {
          @Override
          public <T> NewJob create(JobType<T> type, T payload, EnqueueOptions options) {
            return jobs.create(type, payload, unset -> options);
          }
        });
  }

  private static String hash(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, 16);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Every JVM has SHA-256.", impossible);
    }
  }
}
