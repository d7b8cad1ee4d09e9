package dev.skipjack.cli;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadException;
import dev.skipjack.store.jooq.JobQueue;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues the lines of a file in batches. A line without an idempotency key gets one made from the
 * import's name, the line number and the content. An import that is repeated within a day therefore
 * enqueues only the missing jobs.
 */
final class JobImport {

  private static final int BATCH = 500;

  private final JobQueue queue;
  private final String name;
  private final List<JobLine> batch = new ArrayList<>();
  private long enqueued;
  private long skipped;

  JobImport(JobQueue queue, String name) {
    this.queue = queue;
    this.name = name;
  }

  /** Thrown for a line that does not describe a job, or whose job the queue rejects. */
  static final class InvalidLine extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int number;

    InvalidLine(int number, RuntimeException reason) {
      super(reason.getMessage(), reason);
      this.number = number;
    }

    int number() {
      return number;
    }
  }

  /**
   * Adds a line, and enqueues the batch if it is full.
   *
   * @throws InvalidLine if this or another line of the batch is invalid; the lines of earlier
   *     batches have been enqueued
   */
  void add(int number, String text, @Nullable String kind) {
    JobLine line;
    try {
      line = JobLine.of(number, text, kind);
    } catch (IllegalArgumentException invalid) {
      flush();
      throw new InvalidLine(number, invalid);
    }
    EnqueueOptions options = line.options();
    batch.add(
        options.idempotencyKey().isPresent()
            ? line
            : new JobLine(
                number,
                line.kind(),
                line.payload(),
                options.idempotencyKey("import:%s:%d:%s".formatted(name, number, hash(text)))));
    if (batch.size() == BATCH) {
      flush();
    }
  }

  /** Enqueues the lines that have not been enqueued yet. */
  void flush() {
    Map<String, List<JobLine>> kinds = new LinkedHashMap<>();
    batch.forEach(line -> kinds.computeIfAbsent(line.kind(), one -> new ArrayList<>()).add(line));
    batch.clear();
    kinds.forEach(this::enqueue);
  }

  private void enqueue(String kind, List<JobLine> lines) {
    JobType<JobLine> type = JobType.of(kind, JobLine.class);
    try {
      queue.enqueueAllOnce(type, lines, (line, none) -> line.options()).forEach(this::count);
    } catch (PayloadException rejected) {
      // Nothing of the batch was enqueued. Enqueue its lines one by one, up to the rejected one.
      for (JobLine line : lines) {
        try {
          count(queue.enqueueOnce(type, line, none -> line.options()));
        } catch (PayloadException reason) {
          throw new InvalidLine(line.number(), reason);
        }
      }
    }
  }

  private void count(EnqueueResult result) {
    boolean created = result.fold(enqueuedNow -> true, existing -> false);
    enqueued += created ? 1 : 0;
    skipped += created ? 0 : 1;
  }

  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return new BigInteger(1, digest).toString(Character.MAX_RADIX);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  long enqueued() {
    return enqueued;
  }

  long skipped() {
    return skipped;
  }
}
