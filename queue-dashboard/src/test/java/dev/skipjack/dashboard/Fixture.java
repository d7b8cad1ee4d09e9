package dev.skipjack.dashboard;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.operations.GroupSettings;
import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.operations.QueuePause;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.operations.Rate;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.spi.GroupKey;
import dev.skipjack.outbox.Event;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.outbox.PublishResult;
import dev.skipjack.outbox.Publisher;
import dev.skipjack.outbox.Relay;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.worker.Worker;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A queue, and a dashboard whose users say in a header who they are: name, role, the visible queues
 * or {@code *}, and {@code payloads} if they may see those.
 */
final class Fixture implements AutoCloseable {

  static final String VIEWER = "vera viewer *";
  static final String OPERATOR = "otto operator *";
  static final String ADMIN = "anna admin * payloads";

  final JobQueue queue;
  final Dashboard dashboard;
  private final QueueDatabase database;

  Fixture(QueueDatabase database) {
    this.database = database;
    this.queue = JobQueue.on(database.dataSource());
    this.dashboard =
        Dashboard.on(queue)
            .access(Fixture::access)
            .redact(PayloadView.standard().and(PayloadView.masking("iban")))
            .build();
  }

  static Optional<Access> access(Request request) {
    return request.header("x-access").map(Fixture::parse);
  }

  private static Access parse(String text) {
    List<String> words = List.of(text.split(" ", -1));
    Access all = Access.of(words.get(0), Role.valueOf(words.get(1).toUpperCase(Locale.ROOT)));
    Access some = words.get(2).equals("*") ? all : all.queues(words.get(2).split(",", -1));
    return some.payloads(words.contains("payloads"));
  }

  Browser browser(String access) {
    return new Browser(dashboard, access);
  }

  static JobType<Map<String, Object>> type(String kind, String queue) {
    @SuppressWarnings("unchecked")
    JobType<Map<String, Object>> type =
        (JobType<Map<String, Object>>) (JobType<?>) JobType.of(kind, Map.class);
    return type.onQueue(queue).maxAttempts(1).retry(Backoff.fixed(Duration.ofHours(1)));
  }

  JobId enqueue(String kind, String queueName, Map<String, Object> payload) {
    return queue.enqueue(type(kind, queueName), payload);
  }

  /** Runs all due jobs of a kind, whose attempts fail with this message. */
  void fail(String kind, String queueName, String message) {
    JobType<Map<String, Object>> type = type(kind, queueName);
    try (Worker worker =
        Worker.on(queue)
            .name("worker")
            .handle(
                type,
                (payload, context) -> {
                  throw new IllegalStateException(message, new IOException(message));
                })
            .queue(queueName, 1)
            .build()) {
      worker.runUntilIdle();
    }
  }

  /** Runs all due jobs of a kind, whose attempts succeed with this result. */
  void complete(String kind, String queueName, Object result) {
    try (Worker worker =
        Worker.on(queue)
            .name("worker")
            .handle(type(kind, queueName), (payload, context) -> Outcome.completed(result))
            .queue(queueName, 1)
            .build()) {
      worker.runUntilIdle();
    }
  }

  /** Adds a schedule that has failed to fire 3 times with this error. */
  void failToFire(String error) throws SQLException {
    queue
        .schedules()
        .add(Schedule.cron("0 9 * * *").named("failing").enqueue(type("mail", "emails"), Map.of()));
    try (Connection connection = database.connection();
        PreparedStatement statement =
            connection.prepareStatement(
                "UPDATE %s.job_schedules SET failures = 3, last_error = ?"
                    .formatted(database.schema()))) {
      statement.setString(1, error);
      statement.executeUpdate();
    }
  }

  /**
   * Lets a limit and the pause of a group hold a due job each, in the queues limited and fair.
   *
   * @param group the name of the groups, at most 200 characters
   */
  void hold(String group) {
    QueueAdmin admin = queue.admin();
    admin.limit(
        "shared-limit", Limit.none().running(0).rate(Rate.bucket(5, Duration.ofMinutes(1))));
    admin.limit("unused-limit", Limit.none().runningPerGroup(2));
    admin.configure("limited", QueueSettings.defaults().limitedBy("shared-limit"));
    admin.configure("fair", QueueSettings.defaults().fair());
    admin.configureGroup("fair", group, GroupSettings.defaults().weight(3));
    admin.configureGroup("limited", group, GroupSettings.defaults().maxRunning(1));
    admin.pauseGroup("fair", group);
    for (String name : List.of("limited", "fair")) {
      queue.enqueue(type("mail", name), Map.of(), options -> options.group(group));
    }
  }

  /** Writes a text into everything that a page may show. */
  void fillWith(String text) throws Exception {
    JobType<Map<String, Object>> type = type("mail", "emails");
    Map<String, Object> payload = Map.of("field", text, text, 1, "password", "swordfish");
    queue.enqueue(type, payload, options -> options.tags(text).header("note", text));
    queue.enqueue(type, payload, options -> options.orderingKey(text).tags(text));
    queue.enqueue(type, payload, options -> options.orderingKey(text).tags(text));
    fail("mail", "emails", text);
    queue.enqueue(type, payload, options -> options.tags(text).header("note", text));
    complete("mail", "emails", Map.of("result", text));
    queue.enqueue(type, payload, options -> options.tags(text).delay(Duration.ofHours(1)));
    hold(text.length() > GroupKey.LONGEST ? "group" : text);
    queue.admin().pause("emails", QueuePause.untilResumed().by(text).because(text));
    queue
        .schedules()
        .add(Schedule.cron("0 9 * * *").named("daily").enqueue(type, payload).description(text));
    Outbox outbox = Outbox.on(queue);
    try (Connection connection = database.connection()) {
      connection.setAutoCommit(false);
      outbox.in(connection).record(Event.of("order", text, "order.paid").payload(payload));
      connection.commit();
    }
    try (Relay relay =
        outbox
            .relay(Publisher.each(event -> PublishResult.dead(text)))
            .name(text.length() > 200 ? "relay" : text)
            .build()) {
      relay.runUntilIdle();
    }
  }

  @Override
  public void close() {
    dashboard.close();
  }
}
