package dev.skipjack.demo;

import java.time.Duration;
import java.util.List;

/**
 * The content of the demo's final report.
 *
 * @param numbers the numbers, read from the database
 * @param seconds the time from the first send until no job was left
 * @param checks the checks of the whole database
 */
record Summary(Numbers numbers, Duration seconds, List<Check> checks) {

  Summary {
    checks = List.copyOf(checks);
  }

  /**
   * The numbers of one run, or of the whole database if no delivery was sent.
   *
   * @param enqueued created jobs
   * @param refusedByKey second sends refused by the job's unique key
   * @param refusedByTable second sends refused by the delivery's key
   * @param alreadyReceived first sends of deliveries that were known before
   * @param completed completed jobs
   * @param retried completed jobs that needed more than one attempt
   * @param dead dead jobs
   * @param endedHere jobs that ended while this process ran, whichever process enqueued them
   * @param pickupP50Millis median time from enqueue to first attempt
   * @param pickupP99Millis 99th percentile of this time
   */
  record Numbers(
      long enqueued,
      long refusedByKey,
      long refusedByTable,
      long alreadyReceived,
      long completed,
      long retried,
      long dead,
      long endedHere,
      double pickupP50Millis,
      double pickupP99Millis) {

    long duplicates() {
      return refusedByKey + refusedByTable + alreadyReceived;
    }
  }

  boolean verified() {
    return checks.stream().allMatch(Check::holds);
  }

  double jobsPerSecond() {
    return numbers.endedHere() / Math.max(seconds.toNanos() / 1e9, 1e-3);
  }
}
