package dev.skipjack.examples.anytable;

import static dev.skipjack.examples.anytable.Tables.ADDRESS;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.skiplocked.LeasingClaim;
import dev.skipjack.skiplocked.RowLease;
import dev.skipjack.skiplocked.SkipLocked;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/**
 * A pool of IP addresses. A client gets an address for an hour, renews it, and returns it.
 *
 * <p>What goes wrong: the pool is empty. Later, a client that did not renew in time loses its
 * address to another client.
 */
public final class Addresses {

  private final DSLContext db;

  Addresses(DataSource dataSource) {
    this.db = DSL.using(dataSource, SQLDialect.POSTGRES);
  }

  // snippet: addresses
  /** Claims the address that has been free longest, so that no address is reused at once. */
  private static LeasingClaim<Record> anAddress(Duration time) {
    return SkipLocked.on(ADDRESS)
        .orderBy(ADDRESS.LEASED_UNTIL.asc().nullsFirst(), ADDRESS.IP)
        .lease(ADDRESS.LEASED_UNTIL, ADDRESS.LEASED_BY, time);
  }

  Optional<RowLease<Record>> assign(Duration time) {
    RowLease<Record> lease = anAddress(time).claim(db);
    return lease.rows().isEmpty() ? Optional.empty() : Optional.of(lease);
  }

  /** Returns false if the client no longer has the address. */
  boolean renew(RowLease<Record> address, Duration time) {
    return !address.extend(db, time).rows().isEmpty();
  }

  void giveUp(RowLease<Record> address) {
    address.release(db);
  }

  // end of snippet

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
    Addresses pool = new Addresses(dataSource);
    pool.create(2);
    Duration hour = Duration.ofHours(1);

    RowLease<Record> first = pool.assign(hour).orElseThrow();
    RowLease<Record> second = pool.assign(hour).orElseThrow();
    out.println("assigned " + ip(first) + " and " + ip(second));
    out.println("a third client gets " + pool.assign(hour).map(Addresses::ip).orElse("no address"));
    out.println("renewed: " + pool.renew(first, Duration.ofNanos(1_000)));

    RowLease<Record> third = pool.assign(hour).orElseThrow();
    out.println("after the first lease has expired, it gets " + ip(third));
    out.println("the first client renews: " + pool.renew(first, hour));
    pool.giveUp(second);
    out.println("returned and assigned again: " + ip(pool.assign(hour).orElseThrow()));
  }

  void create(int addresses) {
    db.execute("DROP TABLE IF EXISTS address");
    db.execute(Tables.Address.DDL);
    db.execute(
        "INSERT INTO address (ip) SELECT '10.0.0.' || n FROM generate_series(1, ?) n", addresses);
  }

  static String ip(RowLease<Record> address) {
    return address.rows().get(0).get(ADDRESS.IP);
  }
}
