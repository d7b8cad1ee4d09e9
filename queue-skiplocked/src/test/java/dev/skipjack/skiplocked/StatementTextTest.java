package dev.skipjack.skiplocked;

import static dev.skipjack.skiplocked.Fixture.LEASE;
import static dev.skipjack.skiplocked.Seat.SEAT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.skiplocked.Seat.SeatRecord;
import java.util.List;
import java.util.UUID;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.conf.RenderQuotedNames;
import org.jooq.conf.Settings;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;

/** Tests the complete SQL of the statements, which their class comments show abbreviated. */
class StatementTextTest {

  private final DSLContext db =
      DSL.using(
          SQLDialect.POSTGRES,
          new Settings()
              .withRenderFormatted(true)
              .withRenderSchema(false)
              .withRenderQuotedNames(RenderQuotedNames.EXPLICIT_DEFAULT_UNQUOTED));

  private final FreeRows<SeatRecord> rows =
      FreeRows.of(ClaimedTable.of(SEAT))
          .where(SEAT.STATUS.eq(DSL.inline("free")))
          .orderBy(List.of(SEAT.PRICE.desc().nullsLast(), SEAT.NUMBER));

  private static final String FREE =
      """
      with
        skiplocked_free as materialized (
          select
            %s
            seat.price as skiplocked_order_1,
            seat.number as skiplocked_order_2,
            seat.tableoid as skiplocked_source
          from seat
          where seat.status = 'free'
          order by
            seat.price desc nulls last,
            seat.number
          fetch next 2 rows only
          for no key update of seat skip locked
        )\
      """;

  @Test
  void aClaimLocksRowsInAMaterializedCte() {
    assertThat(ClaimStatement.render(db, rows, 2).getSQL())
        .isEqualTo(
            FREE.formatted(
                    """
                    seat.row_name,
                          seat.number,
                          seat.status,
                          seat.price,
                          seat.held_until,
                          seat.held_by,\
                    """)
                + """

                select
                  skiplocked_free.row_name,
                  skiplocked_free.number,
                  skiplocked_free.status,
                  skiplocked_free.price,
                  skiplocked_free.held_until,
                  skiplocked_free.held_by
                from skiplocked_free
                order by
                  skiplocked_free.skiplocked_order_1 desc nulls last,
                  skiplocked_free.skiplocked_order_2 asc\
                """);
  }

  @Test
  void aLeaseUpdatesTheLockedRowsByTheirKeys() {
    LeaseColumns<?> columns = LeaseColumns.of(ClaimedTable.of(SEAT), SEAT.HELD_UNTIL, SEAT.HELD_BY);

    assertThat(LeaseStatement.render(db, rows, columns, UUID.randomUUID(), LEASE, 2).getSQL())
        .isEqualTo(
            FREE.formatted(
                    """
                    seat.row_name,
                          seat.number,\
                    """)
                + """
                ,
                  skiplocked_term as materialized (
                    select pg_catalog.clock_timestamp() + cast(? as double precision) * interval '1 microsecond' as until
                  ),
                  skiplocked_leased as (
                    update seat
                    set
                      held_until = (
                        select skiplocked_term.until
                        from skiplocked_term
                      ),
                      held_by = cast(? as uuid)
                    from unnest(
                      array(
                        select skiplocked_free.row_name
                        from skiplocked_free
                      ),
                      array(
                        select skiplocked_free.number
                        from skiplocked_free
                      )
                    ) as skiplocked_chosen (row_name, number)
                    where (
                      seat.row_name = skiplocked_chosen.row_name
                      and seat.number = skiplocked_chosen.number
                    )
                    returning\s
                      seat.row_name,
                      seat.number,
                      seat.status,
                      seat.price,
                      seat.held_until,
                      seat.held_by
                  )
                select
                  skiplocked_leased.row_name,
                  skiplocked_leased.number,
                  skiplocked_leased.status,
                  skiplocked_leased.price,
                  skiplocked_leased.held_until,
                  skiplocked_leased.held_by
                from skiplocked_leased
                  join skiplocked_free
                    on (
                      skiplocked_leased.row_name = skiplocked_free.row_name
                      and skiplocked_leased.number = skiplocked_free.number
                    )
                order by
                  skiplocked_free.skiplocked_order_1 desc nulls last,
                  skiplocked_free.skiplocked_order_2 asc\
                """);
  }
}
