package dev.skipjack.worker;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.UnknownClaimException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Claims as many jobs as the queues have room for.
 *
 * <p>Jobs that arrive one by one are claimed immediately. If a claim has returned several jobs and
 * left none, more jobs will probably arrive soon. The loop then waits 5 ms and claims from the same
 * lanes again. A steady stream of jobs therefore requires one claim every 5 ms and few listings.
 *
 * <p>While there is no room for more jobs, a poll only reads how long due jobs have waited and
 * which queues are paused.
 */
final class ClaimLoop implements Loop.Step {

  private static final long GATHER = TimeUnit.MILLISECONDS.toNanos(5);

  private final Claimer claimer;
  private final LostClaims lost;
  private final Collection<ServedQueue> queues;
  private final long pollInterval;
  private final Consumer<List<Attempt>> accept;
  private final PollSchedule schedule;
  private final HeardLanes heard;
  private final LongSupplier clock;
  private final Runnable polled;
  private boolean asked;

  /** Whether the last claim returned several jobs and left none, and every queue has room. */
  private boolean gathering;

  private long gatheringSince;

  /** Whether a run has failed, and none has claimed since. */
  private boolean recovering;

  /**
   * @param accept receives the attempts of a claim
   * @param clock a clock in nanoseconds, such as {@link System#nanoTime()}
   * @param polled called after each successful poll, even if there was no room for more jobs
   */
  ClaimLoop(
      Claimer claimer,
      LostClaims lost,
      Collection<ServedQueue> queues,
      Duration pollInterval,
      Consumer<List<Attempt>> accept,
      PollSchedule schedule,
      HeardLanes heard,
      LongSupplier clock,
      Runnable polled) {
    this.claimer = claimer;
    this.lost = lost;
    this.queues = List.copyOf(queues);
    this.pollInterval = pollInterval.toNanos();
    this.accept = accept;
    this.schedule = schedule;
    this.heard = heard;
    this.clock = clock;
    this.polled = polled;
  }

  @Override
  public long run() {
    try {
      return poll();
    } catch (Throwable failure) {
      recovering = true;
      throw failure;
    }
  }

  private long poll() {
    long left = gatheringSince + GATHER - clock.getAsLong();
    if (gathering && left > 0) {
      asked = false;
      return Math.min(left, pollInterval); // lanes reported by wake-ups wait, too
    }
    asked = true;
    boolean released = lost.release();
    Map<String, Integer> room = room();
    if (room.isEmpty()) {
      gathering = false;
      asked = claimer.look(pollInterval) || released;
      polled.run();
      return lost.pause(pollInterval); // lanes reported by wake-ups also wait for room
    }
    if (gathering) {
      gathering = false;
      claimer.expectAgain(room.keySet());
    }
    List<Lane> lanes = heard.take();
    if (!lanes.isEmpty()) {
      claimer.expect(lanes);
    }
    queues.forEach(queue -> queue.claiming(room.containsKey(queue.name())));
    List<Attempt> claimed;
    try {
      claimed = claim(room);
      asked = claimer.asked() || released;
      polled.run();
      accept.accept(claimed);
    } finally {
      queues.forEach(queue -> queue.claiming(false));
    }
    queues.forEach(queue -> queue.jobsAhead(claimer.mustClaimFirst(queue.name())));
    long now = clock.getAsLong();
    if (recovering) {
      recovering = false;
      // Senders can enqueue again at the same time, and their wake-ups may not arrive yet.
      schedule.jobsArrived(now);
    }
    if (!claimed.isEmpty()) {
      schedule.jobsArrived(now);
      Map<String, Integer> roomLeft = room();
      if (claimer.expectsMore(roomLeft)) {
        return 0;
      }
      gathering = claimed.size() > 1 && roomLeft.size() == queues.size();
      gatheringSince = now;
    } else if (!lanes.isEmpty()) {
      schedule.wokenUp(now);
    }
    return lost.pause(Math.min(schedule.pause(now), claimer.pause(now)));
  }

  private List<Attempt> claim(Map<String, Integer> room) {
    ExecutionId before = lost.latest();
    try {
      return claimer.claim(room, ClaimRequest.LARGEST);
    } catch (UnknownClaimException failure) {
      lost.add(failure);
      throw failure;
    } finally {
      if (claimer.takeLost()) {
        lost.search(before);
      }
    }
  }

  @Override
  public void end() {
    lost.releaseLast();
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
}
