package dev.skipjack.examples.shipping;

import dev.skipjack.outbox.Event;
import dev.skipjack.outbox.Outbox;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/** Takes orders. The change of an order and its event commit together, or neither does. */
final class Shop {

  static final String ORDER = "order";
  static final String PLACED = "order-placed";
  static final String PAID = "order-paid";

  private final DSLContext db;
  private final Outbox outbox;

  Shop(DataSource database, Outbox outbox) {
    this.db = DSL.using(database, SQLDialect.POSTGRES);
    this.outbox = outbox;
  }

  record OrderPlaced(long orderId, int items) {}

  record OrderPaid(long orderId) {}

  static final class OutOfStock extends RuntimeException {}

  void createTables() {
    db.execute(
        """
        CREATE TABLE orders (
          id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          items integer NOT NULL,
          paid  boolean NOT NULL DEFAULT false)
        """);
  }

  /**
   * Creates an order.
   *
   * @param inStock whether there are enough items, which the transaction checks at its end
   * @return the id of the order
   * @throws OutOfStock if there are not enough items; neither the order nor its event remains
   */
  long place(int items, boolean inStock) {
    return db.transactionResult(
        tx -> {
          long id =
              tx.dsl()
                  .fetchSingle("INSERT INTO orders (items) VALUES (?) RETURNING id", items)
                  .get(0, Long.class);
          outbox
              .in(tx.dsl())
              .record(Event.of(ORDER, id, PLACED).payload(new OrderPlaced(id, items)));
          if (!inStock) {
            throw new OutOfStock();
          }
          return id;
        });
  }

  void pay(long orderId) {
    db.transaction(
        tx -> {
          tx.dsl().execute("UPDATE orders SET paid = true WHERE id = ?", orderId);
          outbox
              .in(tx.dsl())
              .record(Event.of(ORDER, orderId, PAID).payload(new OrderPaid(orderId)));
        });
  }

  int orders() {
    return db.fetchSingle("SELECT count(*) FROM orders").get(0, Integer.class);
  }

  /** Returns the number of events that are recorded as published. */
  int publishedEvents() {
    return db.fetchSingle("SELECT count(*) FROM skipjack.outbox_published").get(0, Integer.class);
  }
}
