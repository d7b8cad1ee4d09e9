package dev.skipjack.skiplocked;

import static dev.skipjack.skiplocked.Fixture.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.SQLDialect;
import org.jooq.TableField;
import org.jooq.UniqueKey;
import org.jooq.impl.DSL;
import org.jooq.impl.Internal;
import org.jooq.impl.SQLDataType;
import org.jooq.impl.TableImpl;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests writes of leases with the maximum number of rows, by the number of key columns. */
@QueueTest
class LargeLeaseTest {

  private static final int MOST = 10_000;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void theLargestLeaseIsExtendedReleasedAndCompleted(int columns, QueueDatabase database) {
    DSLContext db = DSL.using(database.dataSource(), SQLDialect.POSTGRES);
    Wide table = new Wide(columns);
    db.execute("DROP TABLE IF EXISTS public.wide");
    db.execute(
        "CREATE TABLE public.wide AS SELECT n AS k1, n / 10 AS k2, n / 100 AS k3,"
            + " NULL::timestamptz AS held_until, NULL::uuid AS held_by, false AS done"
            + " FROM generate_series(1, %d) AS n".formatted(MOST));
    db.execute(
        "ALTER TABLE public.wide ADD PRIMARY KEY ("
            + String.join(", ", List.of("k1", "k2", "k3").subList(0, columns))
            + ")");
    LeasingClaim<Record> claim = SkipLocked.on(table).lease(table.heldUntil, table.heldBy, LEASE);

    RowLease<Record> lease = claim.claimUpTo(db, MOST);
    assertThat(lease.extend(db, LEASE).rows()).hasSize(MOST);
    assertThat(lease.release(db)).isEqualTo(MOST);
    claim.claimUpTo(db, MOST).complete(db, update -> update.set(table.done, true));

    assertThat(db.fetchValue("SELECT count(*) FROM public.wide WHERE done AND held_by IS NULL"))
        .isEqualTo((long) MOST);
  }

  private static final class Wide extends TableImpl<Record> {

    private static final long serialVersionUID = 1L;

    private final int columns;
    private final TableField<Record, Integer> k1 = key("k1");
    private final TableField<Record, Integer> k2 = key("k2");
    private final TableField<Record, Integer> k3 = key("k3");
    private final TableField<Record, Instant> heldUntil =
        createField(DSL.name("held_until"), SQLDataType.INSTANT, this);
    private final TableField<Record, UUID> heldBy =
        createField(DSL.name("held_by"), SQLDataType.UUID, this);
    private final TableField<Record, Boolean> done =
        createField(DSL.name("done"), SQLDataType.BOOLEAN, this);

    Wide(int columns) {
      super(DSL.name("wide"), DSL.schema(DSL.name("public")));
      this.columns = columns;
    }

    private TableField<Record, Integer> key(String name) {
      return createField(DSL.name(name), SQLDataType.INTEGER.nullable(false), this);
    }

    @Override
    public UniqueKey<Record> getPrimaryKey() {
      return switch (columns) {
        case 1 -> Internal.createUniqueKey(this, DSL.name("wide_pkey"), k1);
        case 2 -> Internal.createUniqueKey(this, DSL.name("wide_pkey"), k1, k2);
        default -> Internal.createUniqueKey(this, DSL.name("wide_pkey"), k1, k2, k3);
      };
    }
  }
}
