package dev.skipjack.torture;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.skipjack.torture.FinalRead.JobRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares the payload and the header of each job, in the database and as its handlers received
 * them, with what was requested.
 */
final class ContentCheck {

  /** Separates the method of an enqueue from the content of the job in a request. */
  static final String SEPARATOR = " | ";

  static final String STORED = "The stored payload or header differs from what was requested: ";

  static final String RECEIVED =
      "A handler received another payload or header than was requested: ";

  private static final ObjectMapper JSON =
      new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private ContentCheck() {}

  static List<Violation> check(CheckedRun run) {
    Map<String, String> requested = new HashMap<>();
    for (Event event : run.events(EventType.REQUESTED)) {
      int content = event.detail().indexOf(SEPARATOR);
      if (content >= 0) {
        requested.put(event.key(), event.detail().substring(content + SEPARATOR.length()));
      }
    }
    List<Violation> violations = new ArrayList<>();
    for (JobRow job : run.read.jobs()) {
      compare(requested, job.id(), job.key(), STORED, stored(job), violations);
    }
    for (Event event : run.events(EventType.STARTED)) {
      String key = run.key(event.job());
      compare(requested, event.job(), key, RECEIVED, event.detail(), violations);
    }
    return violations;
  }

  private static void compare(
      Map<String, String> requested,
      long job,
      String key,
      String what,
      String content,
      List<Violation> violations) {
    if (!requested.getOrDefault(key, content).equals(content)) {
      violations.add(new Violation(Counter.ALTERED_JOBS, job, key, what + content));
    }
  }

  private static String stored(JobRow job) {
    try {
      return JSON.readValue(job.content().payload(), Work.class)
          .content(Map.of(Work.HEADER, job.content().header()));
    } catch (JsonProcessingException unreadable) {
      return job.content().payload();
    }
  }
}
