package dev.skipjack.torture;

import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.operations.Rate;
import java.time.Duration;
import java.util.List;

/**
 * The jobs with a limit. They are in two fair queues that share one limit over all workers, which
 * also has a number per group and a rate. Some attempts stop all starts for a while. The group of a
 * job follows from the key of its request.
 */
final class LimitedWork {

  static final String LIMIT = "torture-limit";

  /** The queues that share the limit. */
  static final List<String> QUEUES = List.of("torture-limited-1", "torture-limited-2");

  static final int GROUPS = 4;

  /** The period of the rate, which is a sliding window. */
  static final Duration PERIOD = Duration.ofMillis(400);

  /** One in this number of attempts that would complete stops all starts instead. */
  static final int THROTTLED = 50;

  /** How long it stops them. It is longer than the clocks of two processes may differ. */
  static final Duration RETRY_AFTER = Duration.ofMillis(800);

  static final Setting HIGHEST = new Setting(6, 3, 40);

  /** The settings between which an operator changes the limit. */
  static final List<Setting> SETTINGS =
      List.of(new Setting(4, 2, 30), new Setting(2, 1, 20), HIGHEST, new Setting(3, 3, 16));

  /**
   * The numbers of the limit.
   *
   * @param running the maximum number of attempts that run at the same time
   * @param perGroup the maximum number of attempts of one group that run at the same time
   * @param starts the maximum number of attempts that start in any {@link #PERIOD}
   */
  record Setting(int running, int perGroup, int starts) {

    static final Setting NONE =
        new Setting(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);

    /** Parses the detail of an event. */
    static Setting parse(String detail) {
      String[] numbers = detail.split(" ", -1);
      return new Setting(
          Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]), Integer.parseInt(numbers[2]));
    }

    /** Returns the detail of an event. */
    String detail() {
      return running + " " + perGroup + " " + starts;
    }

    /** Returns the limit. */
    Limit limit() {
      return Limit.none()
          .running(running)
          .runningPerGroup(perGroup)
          .rate(Rate.sliding(starts, PERIOD));
    }

    /** Returns the higher one of each number. */
    Setting or(Setting other) {
      return new Setting(
          Math.max(running, other.running),
          Math.max(perGroup, other.perGroup),
          Math.max(starts, other.starts));
    }
  }

  private LimitedWork() {}

  /** Returns the queue of the jobs of a call, by the key of the first request. */
  static String queue(String key) {
    return QUEUES.get(Math.floorMod(key.hashCode() / GROUPS, QUEUES.size()));
  }

  /** Returns the group of a job, by the key of its request. */
  static String group(String key) {
    return group(Math.floorMod(key.hashCode(), GROUPS));
  }

  static String group(int number) {
    return "tenant " + number;
  }
}
