package dev.skipjack.importing;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Collects the results of all rows. Keeps counts and a few samples, not the rows. */
final class ReportBuilder {

  private static final int SAMPLES = 10;
  private static final int SAMPLES_OF_NAME = 3;

  private final Map<String, ImportReport.Moved> moved = new TreeMap<>();
  private final Map<List<String>, List<String>> ids = new HashMap<>();
  private final Map<List<String>, Long> stayed = new HashMap<>();
  private final List<ImportReport.Sample> samples = new ArrayList<>();
  private String plan = "";

  void plan(String hash) {
    plan = hash;
  }

  void moved(NewRow job) {
    SourceRow row = job.row();
    ImportReport.Moved all =
        moved(row.name(), job.kind(), row.recurrence() != null, row.failure() != null, row.due());
    if (all.jobs() + all.schedules() <= SAMPLES_OF_NAME && samples.size() < SAMPLES) {
      samples.add(new ImportReport.Sample(row.id(), job.kind(), row.due(), job.payload()));
    }
  }

  ImportReport.Moved moved(
      String name, String kind, boolean isSchedule, boolean isDead, Instant due) {
    ImportReport.Moved one =
        new ImportReport.Moved(
            name, kind, isSchedule ? 0 : 1, isDead ? 1 : 0, isSchedule ? 1 : 0, due, due);
    return Objects.requireNonNull(moved.merge(name, one, ReportBuilder::sum));
  }

  private static ImportReport.Moved sum(ImportReport.Moved all, ImportReport.Moved one) {
    return new ImportReport.Moved(
        all.name(),
        all.kind(),
        all.jobs() + one.jobs(),
        all.dead() + one.dead(),
        all.schedules() + one.schedules(),
        one.firstDue().isBefore(all.firstDue()) ? one.firstDue() : all.firstDue(),
        one.lastDue().isAfter(all.lastDue()) ? one.lastDue() : all.lastDue());
  }

  void stays(SourceRow row, String reason) {
    stays(row.name(), row.id(), reason);
  }

  void stays(String name, String id, String reason) {
    List<String> group = List.of(name, reason);
    stayed.merge(group, 1L, Long::sum);
    List<String> some = ids.computeIfAbsent(group, key -> new ArrayList<>());
    if (some.size() < SAMPLES) {
      some.add(id);
    }
  }

  ImportReport report() {
    return new ImportReport(
        List.copyOf(moved.values()),
        stayed.entrySet().stream()
            .map(
                group ->
                    new ImportReport.Stayed(
                        group.getKey().get(0),
                        group.getKey().get(1),
                        group.getValue(),
                        List.copyOf(ids.getOrDefault(group.getKey(), List.of()))))
            .sorted(
                Comparator.comparing(ImportReport.Stayed::name)
                    .thenComparing(ImportReport.Stayed::reason))
            .toList(),
        samples,
        plan);
  }
}
