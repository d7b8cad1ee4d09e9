package dev.skipjack.torture;

import dev.skipjack.torture.FinalRead.JobRow;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds completed jobs whose handler never ran or never ended in the attempt that completed them.
 *
 * <p>A handler's start and end are in the history before the worker can complete the job. Only
 * {@code completeIn} completes a job before its handler has ended.
 */
final class RunCheck {

  private record Run(long job, long execution) {}

  private RunCheck() {}

  static List<Violation> check(CheckedRun run) {
    Set<Run> started = runs(run, EventType.STARTED);
    Set<Run> ended = runs(run, EventType.ENDED);
    List<Violation> violations = new ArrayList<>();
    for (JobRow job : run.read.jobs()) {
      if (job.status().equals("completed")) {
        Run last = new Run(job.id(), job.execution());
        if (!started.contains(last)) {
          violated(job, "The job is completed, but its handler never ran.", violations);
        } else if (!ended.contains(last) && !job.workload().equals(Workload.EFFECT.name())) {
          violated(job, "The job was completed before its handler had ended.", violations);
        }
      }
    }
    return violations;
  }

  private static Set<Run> runs(CheckedRun run, EventType type) {
    Set<Run> runs = new HashSet<>();
    run.events(type).forEach(event -> runs.add(new Run(event.job(), event.execution())));
    return runs;
  }

  private static void violated(JobRow job, String what, List<Violation> violations) {
    violations.add(new Violation(Counter.UNRUN_COMPLETIONS, job.id(), job.key(), what));
  }
}
