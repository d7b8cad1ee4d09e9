package dev.skipjack.demo;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Generates the content of a delivery. Some events and some repositories are more frequent than
 * others.
 */
final class WebhookContent {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private static final List<String> OWNERS = List.of("harbour", "tidewater", "nordlicht", "mareé");
  private static final List<String> NAMES =
      List.of("api", "web", "billing", "search", "docs", "infra", "mobile", "data");
  private static final List<String> PEOPLE = List.of("ada", "björn", "chidi", "dalia", "евгений");
  private static final List<String> SUBJECTS =
      List.of(
          "Fix the race at startup",
          "Größere Puffer für den Import",
          "Add a test for empty input",
          "依存関係を更新",
          "Say why in the log 🐟");

  private final SplittableRandom random;
  private final UUID id;

  WebhookContent(UUID id) {
    this.id = id;
    this.random = new SplittableRandom(id.getMostSignificantBits() ^ id.getLeastSignificantBits());
  }

  Delivery delivery() {
    int kind = random.nextInt(100);
    if (kind < 45) {
      return of("push", null, push());
    }
    if (kind < 70) {
      return of(
          "pull_request",
          pick(List.of("opened", "synchronize", "closed")),
          numbered("pull_request"));
    }
    if (kind < 85) {
      return of("issues", pick(List.of("opened", "labeled", "closed")), numbered("issue"));
    }
    if (kind < 95) {
      return of("workflow_run", pick(List.of("requested", "completed")), numbered("workflow_run"));
    }
    if (kind < 98) {
      return of("dependabot_alert", pick(List.of("created", "fixed")), alert());
    }
    return new Delivery(id, "security_advisory", "published", null, alert());
  }

  private Delivery of(String event, @Nullable String action, ObjectNode payload) {
    // The product of two draws favours the first names: real repositories are not equally busy.
    String name = NAMES.get((int) (random.nextDouble() * random.nextDouble() * NAMES.size()));
    String repository = pick(OWNERS) + "/" + name;
    if (action != null) {
      payload.put("action", action);
    }
    payload
        .putObject("repository")
        .put("id", repository.hashCode() & 0x7fff_ffff)
        .put("full_name", repository)
        .put("private", random.nextBoolean())
        .putNull("license");
    payload.putObject("sender").put("login", pick(PEOPLE)).put("type", "User");
    return new Delivery(id, event, action, repository, payload);
  }

  private ObjectNode push() {
    ObjectNode push = JSON.objectNode().put("ref", "refs/heads/main").put("forced", false);
    push.put("before", sha()).put("after", sha());
    var commits = push.putArray("commits");
    for (int left = 1 + random.nextInt(6); left > 0; left--) {
      ObjectNode commit = commits.addObject().put("id", sha()).put("message", pick(SUBJECTS));
      commit.putObject("author").put("name", pick(PEOPLE)).put("email", "someone@example.org");
      commit.putArray("added").add("src/main/java/App%d.java".formatted(random.nextInt(1000)));
      commit.putArray("removed");
    }
    return push;
  }

  private ObjectNode numbered(String what) {
    ObjectNode body = JSON.objectNode();
    ObjectNode item = body.putObject(what).put("number", 1 + random.nextInt(9_999));
    item.put("title", pick(SUBJECTS)).put("state", "open").putNull("milestone");
    item.put("body", (pick(SUBJECTS) + ".\n").repeat(1 + random.nextInt(20)));
    item.putObject("user").put("login", pick(PEOPLE));
    item.putArray("labels").addObject().put("name", "help wanted").put("default", true);
    return body;
  }

  private ObjectNode alert() {
    ObjectNode body = JSON.objectNode();
    ObjectNode advisory =
        body.putObject("security_advisory").put("ghsa_id", "GHSA-" + sha().substring(0, 14));
    advisory
        .put("summary", pick(SUBJECTS))
        .put("severity", pick(List.of("moderate", "high", "critical")));
    advisory.putObject("cvss").put("score", random.nextInt(40, 100) / 10.0);
    return body;
  }

  private String sha() {
    return "%016x%016x%08x".formatted(random.nextLong(), random.nextLong(), random.nextInt());
  }

  private <T> T pick(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
