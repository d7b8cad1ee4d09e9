package dev.skipjack.rivals;

import dev.skipjack.benchmarks.Sample;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A row of the table: a figure of a phase and, for some rows, the ratio to reach. */
enum Measure {
  ENQUEUE_1(
      Phase.ENQUEUE_1,
      Figure.VALUE,
      "enqueue, 1 client: jobs/s",
      Better.HIGHER,
      1.0,
      DbScheduler.NAME),
  ENQUEUE_1_SERVER(
      Phase.ENQUEUE_1,
      Figure.SERVER,
      "enqueue, 1 client: server CPU, us",
      Better.LOWER,
      1.0,
      DbScheduler.NAME),
  ENQUEUE_8(
      Phase.ENQUEUE_8,
      Figure.VALUE,
      "enqueue, 8 clients: jobs/s",
      Better.HIGHER,
      1.8,
      DbScheduler.NAME),
  ENQUEUE_8_SERVER(
      Phase.ENQUEUE_8,
      Figure.SERVER,
      "enqueue, 8 clients: server CPU, us",
      Better.LOWER,
      1.0,
      DbScheduler.NAME),
  PICKUP(Phase.PICKUP, Figure.VALUE, "pickup: p50, ms"),
  PICKUP_P99(Phase.PICKUP, Figure.P99, "pickup: p99, ms"),
  PICKUP_CALL(
      Phase.PICKUP,
      Figure.CALL,
      "pickup in one process, from the call: p50, ms",
      Better.LOWER,
      0.7,
      DbScheduler.NAME),
  PICKUP_ELSEWHERE(
      Phase.PICKUP,
      Figure.ELSEWHERE,
      "pickup from another process, from the call: p50, ms",
      Better.LOWER,
      0.85,
      GraphileWorker.NAME),
  PICKUP_SERVER(Phase.PICKUP, Figure.SERVER, "pickup: server CPU, us"),
  STEADY_RATE(Phase.STEADY, Figure.RATE, "steady: jobs/s", Better.HIGHER),
  STEADY(Phase.STEADY, Figure.VALUE, "steady: p50, ms"),
  STEADY_P99(Phase.STEADY, Figure.P99, "steady: p99, ms"),
  STEADY_SERVER(
      Phase.STEADY, Figure.SERVER, "steady: server CPU, us", Better.LOWER, 0.85, DbScheduler.NAME),
  STEADY_CLIENT(Phase.STEADY, Figure.CLIENT, "steady: client CPU, us"),
  BULK(Phase.BULK, Figure.VALUE, "bulk: jobs/s", Better.HIGHER, 1.0, DbScheduler.NAME),
  BULK_SERVER(Phase.BULK, Figure.SERVER, "bulk: server CPU, us"),
  DRAIN(Phase.DRAIN, Figure.VALUE, "drain: jobs/s", Better.HIGHER, 1.05, GraphileWorker.NAME),
  DRAIN_SERVER(
      Phase.DRAIN, Figure.SERVER, "drain: server CPU, us", Better.LOWER, 1.2, GraphileWorker.NAME),
  DRAIN_CLIENT(Phase.DRAIN, Figure.CLIENT, "drain: client CPU, us"),
  DRAIN_WAL(Phase.DRAIN, Figure.WAL, "drain: WAL, bytes"),
  DRAIN_NO_ARCHIVE(
      Phase.DRAIN,
      Figure.VALUE,
      "drain without archive: jobs/s",
      Better.HIGHER,
      1.25,
      GraphileWorker.NAME),
  DRAIN_NO_ARCHIVE_SERVER(Phase.DRAIN, Figure.SERVER, "drain without archive: server CPU, us");

  /** The names of a sample's figures other than its value. */
  static final String P99 = "p99";

  static final String RATE = "rate";

  static final String CALL = "call";

  static final String ELSEWHERE = "elsewhere";

  private enum Figure {
    VALUE,
    P99,
    RATE,
    CALL,
    ELSEWHERE,
    SERVER,
    CLIENT,
    WAL
  }

  private enum Better {
    HIGHER,
    LOWER
  }

  private final Phase phase;
  private final Figure figure;
  private final String title;
  private final Better better;
  private final @Nullable Double target;
  private final @Nullable String library;

  /** Creates a measure for a cost or a latency without a target; lower is better. */
  Measure(Phase phase, Figure figure, String title) {
    this(phase, figure, title, Better.LOWER);
  }

  /** Creates a measure without a target. */
  Measure(Phase phase, Figure figure, String title, Better better) {
    this(phase, figure, title, better, null, null);
  }

  /**
   * @param library the library to which the target's ratio refers
   */
  Measure(
      Phase phase,
      Figure figure,
      String title,
      Better better,
      @Nullable Double target,
      @Nullable String library) {
    this.phase = phase;
    this.figure = figure;
    this.title = title;
    this.better = better;
    this.target = target;
    this.library = library;
  }

  Phase phase() {
    return phase;
  }

  /** Returns the mode of Skipjack that is compared. */
  String ours() {
    return switch (this) {
      case PICKUP_CALL -> SkipjackQueue.IN_ONE_PROCESS;
      case DRAIN_NO_ARCHIVE, DRAIN_NO_ARCHIVE_SERVER -> SkipjackQueue.NO_ARCHIVE;
      default -> SkipjackQueue.NAME;
    };
  }

  /** Returns the title of the row, with its unit. CPU times and amounts are per job. */
  String title() {
    return title;
  }

  /** Returns the name for fields of the report. */
  String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the figure of a run, or null if it cannot be measured on this system. */
  @Nullable Double of(Sample sample) {
    return switch (figure) {
      case VALUE -> sample.value();
      case P99 -> sample.figures().get(P99);
      case RATE -> sample.figures().get(RATE);
      case CALL -> sample.figures().get(CALL);
      case ELSEWHERE -> sample.figures().get(ELSEWHERE);
      case SERVER -> sample.costs().serverMicros();
      case CLIENT -> sample.costs().clientMicros();
      case WAL -> sample.costs().walBytes();
    };
  }

  /** Returns the better of two figures, or null if both are null. */
  @Nullable Double better(@Nullable Double one, @Nullable Double other) {
    if (one == null) {
      return other;
    }
    if (other == null) {
      return one;
    }
    return (one > other) == (better == Better.HIGHER) ? one : other;
  }

  /** Returns whether a ratio of Skipjack to a library misses the target for that library. */
  boolean isMissed(String compared, double ratio) {
    return target != null
        && compared.equals(library)
        && (better == Better.HIGHER ? ratio < target : ratio > target);
  }

  /** Returns the target in readable form, or null if no target is set. */
  @Nullable String target() {
    return target == null
        ? null
        : (better == Better.HIGHER ? ">= " : "<= ") + target + " of " + library;
  }
}
