package dev.skipjack.examples.anytable;

import static dev.skipjack.examples.anytable.Tables.VOUCHER;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.skiplocked.SkipLocked;
import java.io.PrintStream;
import java.util.List;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/**
 * An inventory of vouchers. The transaction that creates an order also takes its vouchers. The row
 * locks last until the transaction ends, so no lease is needed.
 *
 * <p>What goes wrong: a card is declined, which rolls back the order and frees its vouchers. An
 * order for more vouchers than are left gets none.
 */
public final class Vouchers {

  /** Thrown if fewer vouchers are left than were ordered. */
  static final class SoldOutException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    SoldOutException(int left) {
      super("only " + left + " left");
    }
  }

  private final DSLContext db;

  Vouchers(DataSource dataSource) {
    this.db = DSL.using(dataSource, SQLDialect.POSTGRES);
  }

  // snippet: vouchers
  /** Sells the vouchers that expire first, or throws and sells none. */
  List<String> order(String customer, int number, Runnable charge) {
    return db.transactionResult(
        tx -> {
          List<Record> vouchers =
              SkipLocked.on(VOUCHER)
                  .where(VOUCHER.CUSTOMER.isNull())
                  .orderBy(VOUCHER.EXPIRES_ON)
                  .claimExactly(tx.dsl(), number)
                  .orElseThrow(shortage -> new SoldOutException(shortage.found()));
          List<String> codes = vouchers.stream().map(row -> row.get(VOUCHER.CODE)).toList();
          tx.dsl()
              .update(VOUCHER)
              .set(VOUCHER.CUSTOMER, customer)
              .where(VOUCHER.CODE.in(codes))
              .execute();
          charge.run();
          return codes;
        });
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
    Vouchers vouchers = new Vouchers(dataSource);
    vouchers.create(5);
    out.println("Ann: " + vouchers.order("Ann", 2, () -> {}));
    out.println("Bob: " + vouchers.refusal("Bob", 2, Vouchers::declined));
    out.println("Cyd: " + vouchers.refusal("Cyd", 4, () -> {}));
    out.println("Dee: " + vouchers.order("Dee", 3, () -> {}));
  }

  private static void declined() {
    throw new IllegalStateException("card declined");
  }

  private String refusal(String customer, int number, Runnable charge) {
    try {
      return "not refused: " + order(customer, number, charge);
    } catch (SoldOutException | IllegalStateException refused) {
      return String.valueOf(refused.getMessage());
    }
  }

  void create(int number) {
    db.execute("DROP TABLE IF EXISTS voucher");
    db.execute(Tables.Voucher.DDL);
    db.execute(
        "INSERT INTO voucher (code, expires_on) SELECT 'V' || n, date '2030-01-01' + n FROM"
            + " generate_series(1, ?) n",
        number);
  }
}
