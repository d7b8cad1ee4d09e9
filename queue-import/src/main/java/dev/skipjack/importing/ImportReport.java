package dev.skipjack.importing;

import java.time.Instant;
import java.util.List;

/**
 * The result of an import, or of its plan.
 *
 * @param moved what became, or would become, jobs
 * @param stayed what stays in its source, and why
 * @param samples some of the jobs, before they were enqueued
 */
public record ImportReport(List<Moved> moved, List<Stayed> stayed, List<Sample> samples) {

  /**
   * The jobs and schedules of one name.
   *
   * @param name the name in the source
   * @param kind the kind of the jobs
   * @param jobs the number of jobs
   * @param schedules the number of schedules
   * @param firstDue when the first of them is due
   * @param lastDue when the last of them is due
   */
  public record Moved(
      String name, String kind, long jobs, long schedules, Instant firstDue, Instant lastDue) {}

  /**
   * The rows of one name that stay for the same reason.
   *
   * @param name the name in the source
   * @param reason why they stay, and what to do
   * @param rows their number
   * @param ids the ids of the first ten
   */
  public record Stayed(String name, String reason, long rows, List<String> ids) {}

  /**
   * A job.
   *
   * @param id the id of the row in the source
   * @param kind the kind of the job
   * @param due when it is due
   * @param payload its payload as JSON
   */
  public record Sample(String id, String kind, Instant due, String payload) {}

  /** Copies the lists. */
  public ImportReport {
    moved = List.copyOf(moved);
    stayed = List.copyOf(stayed);
    samples = List.copyOf(samples);
  }

  /** Returns the number of jobs. */
  public long jobs() {
    return moved.stream().mapToLong(Moved::jobs).sum();
  }

  /** Returns the number of schedules. */
  public long schedules() {
    return moved.stream().mapToLong(Moved::schedules).sum();
  }

  /** Returns the number of rows that stay. */
  public long rowsThatStay() {
    return stayed.stream().mapToLong(Stayed::rows).sum();
  }
}
