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

  private static final String TYPE =
      "select cast(cast(typnamespace as regnamespace) as text) || '.' || pg_catalog.quote_ident(typname)"
          + " from pg_catalog.pg_type where oid = (select pg_catalog.pg_typeof";

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
                      ),
                      array(
                        select skiplocked_free.skiplocked_source
                        from skiplocked_free
                      )
                    ) as skiplocked_chosen (row_name, number, skiplocked_source)
                    where (
                      seat.row_name = skiplocked_chosen.row_name
                      and seat.number = skiplocked_chosen.number
                      and seat.tableoid = skiplocked_chosen.skiplocked_source
                    )
                    returning\s
                      seat.row_name,
                      seat.number,
                      seat.status,
                      seat.price,
                      seat.held_until,
                      seat.held_by,
                      seat.tableoid as skiplocked_source
                  )
                select
                  skiplocked_leased.row_name,
                  skiplocked_leased.number,
                  skiplocked_leased.status,
                  skiplocked_leased.price,
                  skiplocked_leased.held_until,
                  skiplocked_leased.held_by,
                  cast(skiplocked_free.row_name as text) as skiplocked_key_1,
                  (%s(skiplocked_free.row_name) from skiplocked_free limit 1)) as skiplocked_type_1,
                  cast(skiplocked_free.number as text) as skiplocked_key_2,
                  (%s(skiplocked_free.number) from skiplocked_free limit 1)) as skiplocked_type_2
                from skiplocked_leased
                  join skiplocked_free
                    on (
                      skiplocked_leased.row_name = skiplocked_free.row_name
                      and skiplocked_leased.number = skiplocked_free.number
                      and skiplocked_leased.skiplocked_source = skiplocked_free.skiplocked_source
                    )
                order by
                  skiplocked_free.skiplocked_order_1 desc nulls last,
                  skiplocked_free.skiplocked_order_2 asc\
                """
                    .formatted(TYPE, TYPE));
  }

  @Test
  void aCompletionFindsItsRowsByTheTextsOfTheirKeys() {
    LeaseColumns<?> columns = LeaseColumns.of(ClaimedTable.of(SEAT), SEAT.HELD_UNTIL, SEAT.HELD_BY);
    LeasedRows<SeatRecord> leased =
        new LeasedRows<>(
            List.of("pg_catalog.text", "pg_catalog.int4"),
            List.of(new LeasedRows.LeasedRow<>(List.of("A", "1"), new SeatRecord())));

    assertThat(
            CompleteStatement.render(
                    db,
                    ClaimedTable.of(SEAT),
                    columns,
                    leased,
                    UUID.randomUUID(),
                    update -> update.set(SEAT.STATUS, DSL.inline("sold")))
                .getSQL())
        .isEqualTo(
            """
            with
              skiplocked_held as materialized (
                select
                  skiplocked_given.skiplocked_position as skiplocked_position,
                  seat.tableoid as skiplocked_source,
                  seat.row_name,
                  seat.number
                from seat
                  cross join unnest(
                    (select cast(
                      ?
                      as varchar[]
                    )),
                    (select cast(
                      ?
                      as varchar[]
                    ))
                  ) with ordinality as skiplocked_given (skiplocked_key_1, skiplocked_key_2, skiplocked_position)
                where (
                  (seat.row_name = cast(skiplocked_given.skiplocked_key_1 as pg_catalog.text))
                  and (seat.number = cast(skiplocked_given.skiplocked_key_2 as pg_catalog.int4))
                  and seat.held_by = cast(? as uuid)
                )
                order by seat.row_name, seat.number
                for no key update of seat
              ),
              skiplocked_completed as (
                update seat
                set
                  held_until = cast(? as timestamp(6) with time zone),
                  held_by = cast(? as uuid),
                  status = 'sold'
                from skiplocked_held
                where (
                  seat.row_name = skiplocked_held.row_name
                  and seat.number = skiplocked_held.number
                  and seat.tableoid = skiplocked_held.skiplocked_source
                  and (
                    select count(distinct skiplocked_position)
                    from skiplocked_held
                  ) = ?
                )
                returning 1
              )
            select distinct skiplocked_position
            from skiplocked_held\
            """);
  }
}
