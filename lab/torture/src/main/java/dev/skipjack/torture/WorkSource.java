package dev.skipjack.torture;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/** Draws the jobs of a producer. Immutable. */
final class WorkSource {

  private static final int UNIQUE_KEYS = 5;
  private static final int BULK = 5;

  /** One in this number of jobs with an ordering key or steps that are enqueued alone dies. */
  private static final int DOOMED = 8;

  /**
   * One in this number of calls enqueues its jobs with a delay, and another one with a due time.
   */
  private static final int LATER = 12;

  /** One in this number of calls sends characters that JSON or an encoding may damage. */
  private static final int ODD = 4;

  /** Jobs with a limit run for up to this time, so that they compete for it. */
  private static final int LIMITED_MILLIS = 60;

  private final String name;
  private final Pace pace;
  private final Function<RandomGenerator, Workload> mix;

  /** The common properties of the jobs of one call. */
  private record Call(Workload workload, String ordering, int delay, long at, String note) {}

  /**
   * @param name the name of the producer
   * @param mix chooses the workload of a call. Calls with several jobs of a workload that is only
   *     enqueued alone enqueue plain jobs
   */
  WorkSource(String name, Pace pace, Function<RandomGenerator, Workload> mix) {
    this.name = name;
    this.pace = pace;
    this.mix = mix;
  }

  static Workload draw(RandomGenerator random) {
    int n = random.nextInt(100);
    if (n < 30) {
      return Workload.PLAIN;
    } else if (n < 45) {
      return Workload.RETRY;
    } else if (n < 48) {
      return Workload.DOOMED;
    } else if (n < 60) {
      return Workload.UNIQUE;
    } else if (n < 70) {
      return Workload.CANCEL;
    } else if (n < 82) {
      return Workload.EFFECT;
    }
    return n < 92 ? Workload.ORDERED : Workload.LIMITED;
  }

  /**
   * Returns the jobs of one call.
   *
   * @param n the number of the first job
   * @param most the maximum number of jobs
   */
  List<Work> next(long n, long most, SplittableRandom random) {
    int count = random.nextInt(10) == 0 ? (int) Math.min(BULK, most) : 1;
    Call call = call(n, count, random);
    List<Work> works = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      works.add(work(call, n + i, count == 1, random));
    }
    return works;
  }

  private Call call(long n, int count, SplittableRandom random) {
    Workload drawn = mix.apply(random);
    Workload workload = count == 1 || mayBeInBulk(drawn) ? drawn : Workload.PLAIN;
    String ordering =
        workload == Workload.ORDERED ? Work.orderingKey(random.nextInt(Work.ORDERING_KEYS)) : "";
    String note = "note " + n + (random.nextInt(ODD) == 0 ? " é\"\\'{%}\uD834\uDD1E" : "");
    int millis = 1 + random.nextInt((int) pace.lease().toMillis() / 2);
    int later = mayBeLater(workload) ? random.nextInt(LATER) : LATER;
    return new Call(
        workload, ordering, later == 0 ? millis : 0, later == 1 ? inMillis(millis) : 0, note);
  }

  private static boolean mayBeInBulk(Workload workload) {
    return switch (workload) {
      case ORDERED, LIMITED, STEPS -> true;
      case PLAIN, RETRY, DOOMED, UNIQUE, CANCEL, EFFECT, SCHEDULED -> false;
    };
  }

  /** Returns whether a delay of the job delays no other job. */
  private static boolean mayBeLater(Workload workload) {
    return switch (workload) {
      case PLAIN, RETRY, CANCEL, EFFECT, LIMITED -> true;
      case DOOMED, UNIQUE, ORDERED, STEPS, SCHEDULED -> false;
    };
  }

  private static long inMillis(int millis) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now().plusMillis(millis));
  }

  private Work work(Call call, long n, boolean mayDie, SplittableRandom random) {
    Workload workload = call.workload;
    int failures =
        switch (workload) {
          case RETRY -> random.nextInt(1, 4);
          case LIMITED -> random.nextInt(3);
          case DOOMED -> Work.MANY_ATTEMPTS;
          case ORDERED, STEPS ->
              mayDie && random.nextInt(DOOMED) == 0
                  ? Work.FEW_ATTEMPTS
                  : random.nextInt(Work.FEW_ATTEMPTS);
          default -> 0;
        };
    int draw = random.nextInt(1_000);
    // A long job that fails several times would make draining take too long.
    boolean isLong = draw < pace.longPerMille() && failures < 2;
    int millis = isLong ? pace.longMillis() : draw < 300 ? random.nextInt(20) : 0;
    if (workload == Workload.CANCEL || workload == Workload.UNIQUE) {
      // Some are still running when they are cancelled or meet a duplicate.
      millis = random.nextInt(1 + pace.longMillis() / 5);
    } else if (workload == Workload.LIMITED && !isLong) {
      millis = random.nextInt(LIMITED_MILLIS);
    }
    String unique = workload == Workload.UNIQUE ? "u" + random.nextInt(UNIQUE_KEYS) : "";
    return new Work(
        name + "-" + n,
        workload,
        failures,
        millis,
        unique,
        call.ordering,
        call.delay,
        call.at,
        call.note);
  }
}
