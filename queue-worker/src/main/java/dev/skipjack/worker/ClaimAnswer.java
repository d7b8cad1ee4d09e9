package dev.skipjack.worker;

import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The jobs that a claim returned, in the order of the lanes in the request. */
final class ClaimAnswer {

  private final List<LaneShare> shares;
  private final List<ClaimedJob> jobs;
  private final long nanos;
  private final int[] ends; // the end index of each lane's jobs
  private final int visited;
  private final int finished;

  /**
   * @param jobs in the order of the request's lanes
   * @param nanos the duration of the claim in nanoseconds
   */
  ClaimAnswer(ClaimRequest request, List<ClaimedJob> jobs, long nanos) {
    this.shares = request.lanes();
    this.jobs = jobs;
    this.nanos = nanos;
    this.ends = new int[shares.size()];
    int next = 0;
    int lastFruitful = -1;
    for (int i = 0; i < ends.length; i++) {
      int begin = next;
      Lane lane = shares.get(i).lane();
      while (next < jobs.size() && isOf(jobs.get(next), lane)) {
        next++;
      }
      ends[i] = next;
      if (next > begin) {
        lastFruitful = i;
      }
    }
    // A full claim ended in the lane that filled it. Later lanes were not read.
    boolean full = jobs.size() >= request.limit();
    visited = full ? lastFruitful + 1 : ends.length;
    finished = full ? lastFruitful : ends.length;
  }

  private static boolean isOf(ClaimedJob job, Lane lane) {
    return job.priority() == lane.priority() && job.queue().equals(lane.queue());
  }

  List<ClaimedJob> jobs() {
    return jobs;
  }

  long nanos() {
    return nanos;
  }

  /** Returns the number of lanes in the request. */
  int lanes() {
    return ends.length;
  }

  /** Returns how many of the requested lanes the database read, starting with the first. */
  int visited() {
    return visited;
  }

  LaneShare share(int lane) {
    return shares.get(lane);
  }

  int taken(int lane) {
    return ends[lane] - (lane == 0 ? 0 : ends[lane - 1]);
  }

  /** Returns the last job that the claim returned for this lane, or null if there was none. */
  @Nullable ClaimedJob last(int lane) {
    return taken(lane) == 0 ? null : jobs.get(ends[lane] - 1);
  }

  /** Returns whether the lane had fewer due jobs than requested. */
  boolean isShort(int lane) {
    return lane < finished && taken(lane) < shares.get(lane).cap();
  }
}
