package dev.skipjack.rivals;

import dev.skipjack.benchmarks.Benchmark;
import dev.skipjack.benchmarks.BenchmarkDatabase;
import dev.skipjack.benchmarks.LatencyProcess;
import dev.skipjack.benchmarks.Options;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.benchmarks.Report;
import dev.skipjack.benchmarks.Rounds;
import dev.skipjack.benchmarks.Sample;
import dev.skipjack.benchmarks.Statistics;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The benchmark that compares Skipjack with the queues named by {@code --with}, or with all of
 * them.
 */
public final class Rivals implements Benchmark {

  /** The libraries with which the report compares Skipjack as ratios. */
  private static final List<String> COMPARED = List.of(DbScheduler.NAME, GraphileWorker.NAME);

  private static final Map<String, Function<BenchmarkDatabase, List<Contender>>> OTHERS =
      new LinkedHashMap<>();

  static {
    OTHERS.put(
        DbScheduler.NAME,
        database -> List.of(DbScheduler.immediate(database), DbScheduler.polling(database)));
    OTHERS.put("jobrunr", database -> List.of(new JobRunrQueue(database)));
    OTHERS.put("quartz", database -> List.of(new QuartzQueue(database)));
    OTHERS.put(GraphileWorker.NAME, database -> List.of(new GraphileWorker(database)));
  }

  /** The libraries that need no other runtime. They take part by default. */
  private static final Set<String> JAVA;

  static {
    JAVA = new LinkedHashSet<>(OTHERS.keySet());
    JAVA.remove(GraphileWorker.NAME);
  }

  /** Called by {@link java.util.ServiceLoader}. */
  public Rivals() {}

  @Override
  public String purpose() {
    return "compares Skipjack with db-scheduler, JobRunr, Quartz or graphile-worker under the same load";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.JOBS, Setting.SECONDS, Setting.RUNS, Setting.RATE, Setting.WITH);
  }

  @Override
  public void check(Options options) {
    for (String name : options.with()) {
      if (!OTHERS.containsKey(name)) {
        throw new IllegalArgumentException(
            "Unknown name '%s' in --with. Available names: %s."
                .formatted(name, String.join(", ", OTHERS.keySet())));
      }
    }
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    List<Contender> contenders = contenders(database, options.with());
    try (LatencyProcess producer = new LatencyProcess(database)) {
      return report(
          contenders, new Comparison(database, contenders, producer, options, notes).run());
    }
  }

  static List<Contender> contenders(BenchmarkDatabase database, List<String> with) {
    List<Contender> contenders = new ArrayList<>();
    contenders.add(SkipjackQueue.inSeveralProcesses(database));
    contenders.add(SkipjackQueue.inOneProcess(database));
    contenders.add(SkipjackQueue.withoutArchive(database));
    for (String name : with.isEmpty() ? JAVA : new LinkedHashSet<>(with)) {
      contenders.addAll(Objects.requireNonNull(OTHERS.get(name)).apply(database));
    }
    return contenders;
  }

  /**
   * Creates the report. The drain is the main result. Each measure is a row with Skipjack's ratios
   * to the better mode of db-scheduler and to graphile-worker.
   */
  static Report report(List<Contender> contenders, Map<Phase, Rounds.Results> results) {
    Report report = new Report("rivals", "jobs/s");
    Rounds.Results drain = Objects.requireNonNull(results.get(Phase.DRAIN));
    if (drain.samples().containsKey(DbScheduler.NAME)) {
      report.finding(drain, SkipjackQueue.NAME, DbScheduler.NAME);
    } else {
      report.finding(drain.of(SkipjackQueue.NAME));
    }
    report.put("ratio_of", "drain");
    List<String> missed = new ArrayList<>();
    for (Measure measure : Measure.values()) {
      Map<String, List<Sample>> samples =
          Objects.requireNonNull(results.get(measure.phase())).samples();
      Map<String, @Nullable Object> row = new LinkedHashMap<>();
      row.put("measure", measure.title());
      for (Contender contender : contenders) {
        row.put(contender.name(), median(measure, samples.get(contender.name())));
      }
      for (String library : COMPARED) {
        List<Double> ratios = ratios(measure, samples, library);
        if (!ratios.isEmpty()) {
          double ratio = Statistics.median(ratios);
          row.put("to " + library, ratio);
          row.put("least to " + library, Statistics.min(ratios));
          row.put("most to " + library, Statistics.max(ratios));
          row.put("target", measure.target());
          report.put(measure.key() + "_ratio_" + library, ratio);
          if (measure.isMissed(library, ratio)) {
            missed.add(measure.key());
          }
        }
      }
      report.row(row);
    }
    report.row(texts("woken by", contenders, Contender::wakeUp));
    report.row(texts("record of a finished job", contenders, Contender::history));
    contenders.forEach(
        contender -> report.put("setup_" + contender.name().replace(' ', '_'), contender.setup()));
    return report.put("missed", String.join(", ", missed));
  }

  private static Map<String, @Nullable Object> texts(
      String title, List<Contender> contenders, Function<Contender, String> text) {
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    row.put("measure", title);
    contenders.forEach(contender -> row.put(contender.name(), text.apply(contender)));
    return row;
  }

  /**
   * Returns null if the contender skipped the phase, or the figure cannot be measured on this
   * system.
   */
  private static @Nullable Double median(Measure measure, @Nullable List<Sample> samples) {
    List<Double> values = new ArrayList<>();
    for (Sample sample : samples == null ? List.<Sample>of() : samples) {
      Double value = measure.of(sample);
      if (value != null) {
        values.add(value);
      }
    }
    return values.isEmpty() ? null : Statistics.median(values);
  }

  /** Returns the ratio of each round to the library's mode that was better in that round. */
  private static List<Double> ratios(
      Measure measure, Map<String, List<Sample>> samples, String library) {
    List<Double> ratios = new ArrayList<>();
    List<Sample> ours = samples.getOrDefault(measure.ours(), List.of());
    for (int round = 0; round < ours.size(); round++) {
      @Nullable Double own = measure.of(ours.get(round));
      @Nullable Double other = null;
      for (Map.Entry<String, List<Sample>> entry : samples.entrySet()) {
        if (entry.getKey().startsWith(library)) {
          other = measure.better(other, measure.of(entry.getValue().get(round)));
        }
      }
      // A short run may use less CPU than the system can show.
      if (own != null && other != null && other > 0) {
        ratios.add(own / other);
      }
    }
    return ratios;
  }
}
