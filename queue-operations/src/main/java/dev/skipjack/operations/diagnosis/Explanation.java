package dev.skipjack.operations.diagnosis;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.Fix;
import dev.skipjack.api.operations.JobExplanation;
import dev.skipjack.api.operations.JobExplanation.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Collects the parts of a {@link JobExplanation}. Not thread-safe. */
final class Explanation {

  private final JobId job;
  private final Reason reason;
  private final String sentence;
  private final Map<String, String> evidence = new LinkedHashMap<>();
  private @Nullable Fix fix;

  Explanation(JobFacts job, Reason reason, String sentence) {
    this.job = job.id();
    this.reason = reason;
    this.sentence = sentence;
  }

  /** Adds a fact, unless it is null. */
  Explanation with(String name, @Nullable Object fact) {
    if (fact instanceof Duration duration) {
      evidence.put(name, Long.toString(Math.max(0, duration.toSeconds())));
    } else if (fact != null) {
      evidence.put(name, fact.toString());
    }
    return this;
  }

  /** Adds the seconds between two instants, unless the first is null. */
  Explanation withSeconds(String name, @Nullable Instant from, Instant to) {
    return with(name, from == null ? null : Duration.between(from, to));
  }

  Explanation fixedBy(String command, String call) {
    fix = new Fix(command, call);
    return this;
  }

  JobExplanation toJobExplanation() {
    return new JobExplanation(job, reason, sentence, evidence, fix);
  }
}
