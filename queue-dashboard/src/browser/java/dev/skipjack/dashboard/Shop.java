package dev.skipjack.dashboard;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.DurationHistogram;
import dev.skipjack.api.operations.GroupSettings;
import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.operations.QueuePause;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.operations.Rate;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.JobMinute;
import dev.skipjack.api.spi.StackSample;
import dev.skipjack.outbox.Event;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.outbox.PublishResult;
import dev.skipjack.outbox.Publisher;
import dev.skipjack.outbox.Relay;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.worker.Handler;
import dev.skipjack.worker.Worker;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/** The jobs of a shop, with a day behind them, for pictures of the pages. */
final class Shop implements AutoCloseable {

  private static final int MINUTES = 26 * 60;

  private static final String STACK =
      """
      \tat java.base/sun.nio.ch.SocketDispatcher.read0(Native Method)
      \tat java.base/sun.nio.ch.NioSocketImpl.read(NioSocketImpl.java:284)
      \tat java.base/java.net.Socket$SocketInputStream.read(Socket.java:966)
      \tat com.shop.images.ImageStore.download(ImageStore.java:71)
      \tat com.shop.images.Resizer.resize(Resizer.java:38)
      \tat com.shop.images.ResizeHandler.handle(ResizeHandler.java:22)\
      """;

  private final QueueDatabase database;
  private final JobQueue queue;
  private final CountDownLatch end = new CountDownLatch(1);
  private final List<Worker> workers = new ArrayList<>();

  Shop(QueueDatabase database, JobQueue queue) {
    this.database = database;
    this.queue = queue;
  }

  /** Fills the database, and leaves workers running whose handlers wait for {@link #close}. */
  void open() throws SQLException, InterruptedException {
    deadLetters();
    ordered();
    limits();
    history();
    schedules();
    outbox();
    backlog();
    running();
    past();
  }

  private static JobType<Map<String, Object>> type(String kind, String queueName, int attempts) {
    @SuppressWarnings("unchecked")
    JobType<Map<String, Object>> type =
        (JobType<Map<String, Object>>) (JobType<?>) JobType.of(kind, Map.class);
    return type.onQueue(queueName).maxAttempts(attempts).retry(Backoff.fixed(Duration.ZERO));
  }

  private void run(JobType<Map<String, Object>> type, Handler<Map<String, Object>> handler) {
    try (Worker worker =
        Worker.on(queue).name("shop-1").handle(type, handler).queue(type.queue(), 4).build()) {
      worker.runUntilIdle();
    }
  }

  private static Map<String, Object> order(int number) {
    return Map.of(
        "order",
        10_000 + number,
        "customer",
        Map.of("id", 700 + number, "email", "customer@shop.example", "password", "swordfish"),
        "lines",
        List.of(Map.of("article", "A-" + number, "amount", 2), Map.of("article", "B-7")));
  }

  private void enqueue(String kind, String queueName, int jobs, int attempts) {
    JobType<Map<String, Object>> type = type(kind, queueName, attempts);
    queue.enqueueAll(type, IntStream.range(0, jobs).mapToObj(Shop::order).toList());
  }

  private void fail(String kind, String queueName, int jobs, Exception error) {
    enqueue(kind, queueName, jobs, 3);
    run(
        type(kind, queueName, 3),
        (payload, context) -> {
          throw error;
        });
  }

  private void deadLetters() {
    fail("charge-card", "payments", 23, new IOException("Connection to bank.example refused"));
    fail("charge-card", "payments", 2, new IllegalStateException("Card 4711 has expired"));
    fail("send-invoice", "emails", 7, new IOException("Mail server timed out after 30 s"));
    fail("resize-image", "images", 1, new IllegalArgumentException("Image is 0 pixels wide"));
  }

  private void ordered() {
    JobType<Map<String, Object>> type = type("ship-order", "shipping", 1);
    queue.enqueue(type, order(1), options -> options.orderingKey("customer-4711").tags("vip"));
    queue.enqueue(type, order(2), options -> options.orderingKey("customer-4711"));
    queue.enqueue(type, order(3), options -> options.orderingKey("customer-4711"));
    run(
        type,
        (payload, context) -> {
          throw new IllegalStateException("Address of order 10001 is incomplete");
        });
  }

  /** A limit that holds the jobs of a queue, with a paused group and one of a higher weight. */
  private void limits() {
    QueueAdmin admin = queue.admin();
    admin.limit("tax-office", Limit.none().running(0).rate(Rate.bucket(9, Duration.ofHours(1))));
    admin.limit("bank", Limit.none().running(20).runningPerGroup(3));
    admin.configure("declarations", QueueSettings.defaults().fair().limitedBy("tax-office"));
    admin.configureGroup("declarations", "germany", GroupSettings.defaults().weight(3));
    admin.pauseGroup("declarations", "france");
    for (String group : List.of("germany", "france", "italy")) {
      queue.enqueue(
          type("declare-tax", "declarations", 3), order(1), options -> options.group(group));
    }
  }

  private void history() {
    for (String kind : List.of("send-welcome", "send-invoice")) {
      enqueue(kind, "emails", 40, 3);
      run(type(kind, "emails", 3), (payload, context) -> Outcome.completed(Map.of("sent", true)));
    }
  }

  private void schedules() {
    schedule("daily-report", "0 9 * * 1-5", "Sends the sales of the day before to the team");
    schedule("clean-sessions", "*/15 * * * *", "Deletes sessions that have expired");
    schedule("month-end", "0 2 1 * *", "Closes the books");
    queue.schedules().pause("month-end");
  }

  private void schedule(String name, String cron, String description) {
    queue
        .schedules()
        .add(
            Schedule.cron(cron)
                .zone("Europe/Berlin")
                .named(name)
                .enqueue(type(name, "nightly", 3), Map.of())
                .description(description));
  }

  private void outbox() throws SQLException, InterruptedException {
    Outbox outbox = Outbox.on(queue);
    try (Connection connection = database.connection()) {
      connection.setAutoCommit(false);
      for (int order = 0; order < 6; order++) {
        outbox
            .in(connection)
            .record(
                Event.of("order", "order-" + order, "order.placed").payload(Map.of("id", order)));
      }
      connection.commit();
    }
    try (Relay relay =
        outbox
            .relay(
                Publisher.each(
                    event ->
                        event.aggregate().id().equals("order-3")
                            ? PublishResult.dead("The broker returned 413 Payload Too Large")
                            : PublishResult.sent()))
            .name("relay-1")
            .build()) {
      relay.runUntilIdle();
    }
  }

  private void backlog() {
    enqueue("resize-image", "images", 1_840, 5);
    enqueue("import-catalog", "imports", 320, 5);
    queue
        .admin()
        .pause(
            "imports", QueuePause.untilResumed().by("anna").because("Supplier sends old prices"));
    JobType<Map<String, Object>> later = type("send-reminder", "emails", 5);
    for (int i = 0; i < 30; i++) {
      int hours = i + 1;
      queue.enqueue(
          later, order(i), options -> options.delay(Duration.ofHours(hours)).tags("campaign-7"));
    }
  }

  /** Starts workers whose jobs run until the end. */
  private void running() throws InterruptedException {
    CountDownLatch started = new CountDownLatch(14);
    for (int number = 1; number <= 2; number++) {
      workers.add(
          Worker.on(queue)
              .name("shop-" + number)
              .handle(type("resize-image", "images", 5), (payload, context) -> hold(started))
              .handle(type("charge-card", "payments", 5), (payload, context) -> hold(started))
              .handle(type("send-invoice", "emails", 5), (payload, context) -> hold(started))
              .queue("images", 5)
              .queue("payments", 8)
              .queue("emails", 10)
              .build()
              .start());
    }
    enqueue("charge-card", "payments", 3, 5);
    enqueue("send-invoice", "emails", 1, 5);
    started.await();
    stacks();
  }

  /** Records where two handlers are, as their worker would do after a minute. */
  private void stacks() {
    List<StackSample> samples =
        queue.reader().longestRunning(Duration.ZERO, 2).stream()
            .map(running -> queue.reader().find(running.job().id()).orElseThrow())
            .map(
                job ->
                    new StackSample(
                        new Execution(
                            job.summary().id(),
                            Objects.requireNonNull(job.currentExecution()),
                            Objects.requireNonNull(job.summary().startedAt())),
                        STACK,
                        null))
            .toList();
    queue.workers().recordStacks(samples, List.of());
  }

  private Outcome hold(CountDownLatch started) throws InterruptedException {
    started.countDown();
    end.await();
    return Outcome.completed();
  }

  /** Writes what the workers reported in the last day. */
  private void past() throws SQLException {
    queue.workers().addMinute(WorkerId.boot("shop-1"), counts());
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute("SET search_path TO " + database.schema());
      statement.execute(
          """
          INSERT INTO job_minutes
          SELECT date_trunc('minute', now()) - ago * interval '1 minute', queue, kind, worker_id,
                 (completed * load)::integer, (failed * load * (0.5 + random()))::integer,
                 (dead * random() * 2)::integer, 0, snoozed, 0,
                 ARRAY(SELECT (n * load * (0.8 + 0.4 * random()))::integer FROM unnest(waits) AS n),
                 ARRAY(SELECT (n * load * (0.8 + 0.4 * random()))::integer FROM unnest(runs) AS n)
            FROM job_minutes
           CROSS JOIN (SELECT ago, 0.55 + 0.3 * sin(ago / 37.0) + 0.12 * sin(ago / 5.0)
                                   + 0.1 * random() AS load
                         FROM generate_series(1, %d) AS ago) AS minutes\
          """
              .formatted(MINUTES));
      statement.execute("DELETE FROM job_depths");
      statement.execute(
          """
          INSERT INTO job_depths
          SELECT date_trunc('minute', now()) - ago * interval '1 minute', 'images',
                 (1840 * greatest(0.05, 1 - ago / 50.0) + 60 * random())::bigint, 10, 0, 1
            FROM generate_series(0, %d) AS ago\
          """
              .formatted(MINUTES));
    }
  }

  private static List<JobMinute> counts() {
    return List.of(
        counts("emails", "send-welcome", 420, 3, 0, 2),
        counts("payments", "charge-card", 180, 14, 1, 4),
        counts("images", "resize-image", 310, 6, 0, 7));
  }

  /** Returns numbers whose run times are around a power of two. */
  private static JobMinute counts(
      String queue, String kind, int completed, int failed, int dead, int power) {
    long[] runs = new long[power + 6];
    runs[power + 1] = completed / 4;
    runs[power + 2] = completed / 2;
    runs[power + 3] = completed / 4;
    runs[power + 5] = completed / 20;
    return new JobMinute(
        queue,
        kind,
        completed,
        failed,
        dead,
        0,
        0,
        0,
        DurationHistogram.of(
            completed / 3, completed / 3, completed / 6, completed / 8, 5, 3, 9, 4),
        DurationHistogram.of(runs));
  }

  @Override
  public void close() {
    end.countDown();
    workers.forEach(Worker::close);
  }
}
