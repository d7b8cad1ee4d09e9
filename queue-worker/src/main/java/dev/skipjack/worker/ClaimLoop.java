package dev.skipjack.worker;

import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.Lane;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * Claims as many jobs as the queues have room for, and decides when to poll again.
 *
 * <p>After a claim there is often more work, so the loop polls again after 2 ms, 5 ms and so on up
 * to the poll interval. While there is no room, each poll only reads how long due jobs have waited
 * and which queues are paused.
 */
final class ClaimLoop implements Loop.Step {

  private static final long[] SOON_MILLIS = {2, 5, 10, 20, 50, 100, 200, 500};

  private final Claimer claimer;
  private final Collection<ServedQueue> queues;
  private final long pollInterval;
  private final Consumer<List<Attempt>> accept;
  private final RandomGenerator random;
  private final HeardLanes heard;
  private final Runnable polled;
  private boolean asked;
  private int emptyPolls = SOON_MILLIS.length;

  /**
   * @param accept receives the attempts of a claim
   * @param polled called after each successful poll, even if there was no room for more jobs
   */
  ClaimLoop(
      Claimer claimer,
      Collection<ServedQueue> queues,
      Duration pollInterval,
      Consumer<List<Attempt>> accept,
      RandomGenerator random,
      HeardLanes heard,
      Runnable polled) {
    this.claimer = claimer;
    this.queues = List.copyOf(queues);
    this.pollInterval = pollInterval.toNanos();
    this.accept = accept;
    this.random = random;
    this.heard = heard;
    this.polled = polled;
  }

  @Override
  public long run() {
    Map<String, Integer> room = room();
    asked = true;
    if (room.isEmpty()) {
      asked = claimer.look(pollInterval);
      polled.run();
      return pollInterval; // lanes reported by wake-ups also wait for room
    }
    List<Lane> lanes = heard.take();
    if (!lanes.isEmpty()) {
      claimer.expect(lanes);
      // Another worker may be quicker, and one wake-up stands for several jobs: poll again soon.
      emptyPolls = 0;
    }
    List<Attempt> claimed = claimer.claim(room, ClaimRequest.LARGEST);
    asked = claimer.asked();
    polled.run();
    accept.accept(claimed);
    if (!claimed.isEmpty()) {
      emptyPolls = 0;
      if (claimer.expectsMore(room())) {
        return 0;
      }
    }
    return pause();
  }

  @Override
  public boolean asked() {
    return asked;
  }

  private Map<String, Integer> room() {
    Map<String, Integer> room = new LinkedHashMap<>();
    for (ServedQueue queue : queues) {
      int ask = queue.ask();
      if (ask > 0) {
        room.put(queue.name(), ask);
      }
    }
    return room;
  }

  private long pause() {
    if (emptyPolls < SOON_MILLIS.length) {
      long soon = Duration.ofMillis(SOON_MILLIS[emptyPolls++]).toNanos();
      return Math.min(Jitter.around(soon, random), pollInterval);
    }
    return Jitter.around(pollInterval, random);
  }
}
