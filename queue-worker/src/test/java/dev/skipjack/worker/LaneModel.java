package dev.skipjack.worker;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.DueLane;
import dev.skipjack.api.spi.DueLanes;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.worker.LaneChooser.Choice;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A model of lanes with due jobs, which serves them as the claim statement does. */
final class LaneModel {

  final KnownLanes known = new KnownLanes();

  private final LaneChooser chooser;
  private final Map<Lane, Deque<Long>> dueAt = new LinkedHashMap<>();
  private long now = 1_000_000;

  LaneModel(Collection<String> queues, LaneOrder order) {
    this.chooser = new LaneChooser(queues, order);
  }

  void add(Lane lane, int jobs) {
    Deque<Long> due = dueAt.computeIfAbsent(lane, key -> new ArrayDeque<>());
    for (int i = 0; i < jobs; i++) {
      due.add(now);
    }
  }

  int due(Lane lane) {
    return dueAt.getOrDefault(lane, new ArrayDeque<>()).size();
  }

  void pass(long time) {
    now += time;
  }

  void list() {
    List<DueLane> lanes = new ArrayList<>();
    dueAt.forEach(
        (lane, due) -> {
          if (!due.isEmpty()) {
            lanes.add(new DueLane(lane, Duration.ofNanos(now - due.element())));
          }
        });
    known.list(new DueLanes(lanes, List.of()), lane -> false, now);
  }

  /** Returns the next choice without recording a result for it. */
  Choice choose(Map<String, Integer> room, int most) {
    return chooser.choose(known, room, most, lane -> null, now);
  }

  /** Runs one claim, and returns the lanes of the claimed jobs in the order of the claim. */
  List<Lane> claim(Map<String, Integer> room, int most) {
    Choice choice = choose(room, most);
    if (choice.shares().isEmpty()) {
      return List.of();
    }
    List<ClaimedJob> jobs = new ArrayList<>();
    for (LaneShare share : choice.shares()) {
      Deque<Long> due = dueAt.getOrDefault(share.lane(), new ArrayDeque<>());
      for (int i = 0; i < share.cap() && jobs.size() < choice.limit() && !due.isEmpty(); i++) {
        jobs.add(ClaimAnswers.job(share.lane(), instant(due.remove()), instant(now)));
      }
    }
    ClaimRequest request =
        new ClaimRequest(
            WorkerId.boot("model"),
            choice.shares(),
            List.of("k"),
            choice.limit(),
            Duration.ofSeconds(30));
    ClaimAnswer answer = new ClaimAnswer(request, jobs, 0);
    known.claimed(answer, now);
    chooser.claimed(answer);
    return jobs.stream().map(ClaimedJob::lane).toList();
  }

  private static Instant instant(long nanos) {
    return Instant.EPOCH.plusNanos(nanos);
  }
}
