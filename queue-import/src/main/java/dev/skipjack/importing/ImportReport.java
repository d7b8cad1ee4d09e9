package dev.skipjack.importing;

import java.time.Instant;
import java.util.List;

/**
 * The result of an import, of its plan, or of its undoing.
 *
 * @param moved the rows that became, or would become, jobs or schedules, or that returned to the
 *     source
 * @param stayed the rows that stay where they are, with the reasons
 * @param samples up to ten of the jobs and schedules
 * @param plan the hash of the plan, which {@link Importer.Builder#plan} takes; empty for an undo
 */
public record ImportReport(
    List<Moved> moved, List<Stayed> stayed, List<Sample> samples, String plan) {

  /**
   * The jobs and schedules of one name.
   *
   * @param name the name in the source
   * @param kind the kind of the jobs
   * @param jobs the number of jobs
   * @param dead how many of them are dead, because they failed for good in the source
   * @param schedules the number of schedules
   * @param firstDue when the first of them is due
   * @param lastDue when the last of them is due
   */
  public record Moved(
      String name,
      String kind,
      long jobs,
      long dead,
      long schedules,
      Instant firstDue,
      Instant lastDue) {}

  /**
   * The rows of one name that stay for the same reason.
   *
   * @param name the name in the source
   * @param reason why they stay, and what to do
   * @param rows the number of rows
   * @param ids the ids of the first ten rows
   */
  public record Stayed(String name, String reason, long rows, List<String> ids) {}

  /**
   * A job, or a job of a schedule.
   *
   * @param id the id of the row in the source
   * @param kind the kind of the job
   * @param due when it is due
   * @param payload its payload as JSON
   */
  public record Sample(String id, String kind, Instant due, String payload) {}

  /**
   * Copies the lists.
   *
   * @param moved the rows that became, or would become, jobs or schedules, with one element for
   *     each name
   * @param stayed the rows that stay, with one element for each name and reason
   * @param samples up to ten of the jobs and schedules
   * @param plan the hash of the plan
   */
  public ImportReport {
    moved = List.copyOf(moved);
    stayed = List.copyOf(stayed);
    samples = List.copyOf(samples);
  }

  /**
   * {@return the number of rows that became jobs, or would become jobs} Schedules are not counted.
   */
  public long jobs() {
    return moved.stream().mapToLong(Moved::jobs).sum();
  }

  /** {@return the number of rows that became schedules, or would become schedules} */
  public long schedules() {
    return moved.stream().mapToLong(Moved::schedules).sum();
  }

  /** {@return the number of rows that stay in their source for any reason} */
  public long rowsThatStay() {
    return stayed.stream().mapToLong(Stayed::rows).sum();
  }
}
