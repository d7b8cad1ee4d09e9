package dev.skipjack.examples.limits;

import static java.time.Duration.ofSeconds;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.operations.Rate;
import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * Each tenant exports data, videos are encoded, and an API is called. At most three exports of a
 * tenant and ten encodings run at the same time, and at most 100 calls start in a second, however
 * many workers there are.
 *
 * <p>What goes wrong: a tenant requests 200 exports at once. The others are served in turn with it.
 * Then an operator pauses this tenant; its other exports wait until it is resumed.
 */
public final class Tenants {

  record Export(int tenant, int number) {}

  // snippet: limits
  static final JobType<Export> EXPORT =
      JobType.of("export", Export.class)
          .onQueue("exports")
          .groupedBy(export -> "tenant-" + export.tenant());

  /** Called when the application starts; does not overwrite what an operator has changed. */
  private void declare() {
    QueueAdmin admin = queue.admin();
    admin.declareLimit("exports", Limit.none().runningPerGroup(3));
    admin.declareLimit("encoders", Limit.none().running(10));
    admin.declareLimit("stripe", Limit.none().rate(Rate.sliding(100, ofSeconds(1))));

    admin.declare("exports", QueueSettings.defaults().limitedBy("exports").fair());
    admin.declare("videos", QueueSettings.defaults().limitedBy("encoders"));
    admin.declare("payments", QueueSettings.defaults().limitedBy("stripe"));
    admin.declare("refunds", QueueSettings.defaults().limitedBy("stripe")); // counted together
  }

  // end of snippet

  private final JobQueue queue;
  private final List<Export> exported = new ArrayList<>();

  private Tenants(DataSource dataSource) {
    this.queue = JobQueue.on(dataSource);
  }

  /**
   * Runs the example.
   *
   * @param args a JDBC URL; without one an embedded PostgreSQL is started
   */
  public static void main(String[] args) {
    try (ExampleDatabase database = ExampleDatabase.open(args)) {
      run(database.dataSource(), System.out);
    }
  }

  static void run(DataSource dataSource, PrintStream out) {
    Tenants tenants = new Tenants(dataSource);
    tenants.declare();
    tenants.request(1, 200);
    for (int tenant = 2; tenant <= 5; tenant++) {
      tenants.request(tenant, 1);
    }
    tenants.work();
    out.println("exported: " + tenants.exported.size());
    out.println("the other tenants waited for at most 10 exports: " + tenants.othersCameEarly());

    tenants.queue.admin().pauseGroup("exports", "tenant-1");
    tenants.request(1, 20);
    tenants.request(2, 1);
    tenants.exported.clear();
    tenants.work();
    out.println("exported while tenant 1 is paused: " + tenants.exported);
    out.println("held: " + tenants.queue.reader().held().get(0).due());

    tenants.queue.admin().resumeGroup("exports", "tenant-1");
    tenants.work();
    out.println("exported in the end: " + tenants.exported.size());
  }

  private void request(int tenant, int number) {
    queue.enqueueAll(
        EXPORT, IntStream.range(0, number).mapToObj(n -> new Export(tenant, n)).toList());
  }

  private boolean othersCameEarly() {
    return exported.subList(0, 14).stream().filter(export -> export.tenant() > 1).count() == 4;
  }

  private void work() {
    try (Worker worker =
        Worker.on(queue)
            .handle(
                EXPORT,
                (export, context) -> {
                  exported.add(export);
                  return Outcome.completed();
                })
            .queue("exports", 4)
            .build()) {
      worker.runUntilIdle();
    }
  }
}
