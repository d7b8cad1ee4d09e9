package dev.skipjack.faults;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A schema full of functions, operators and types that shadow the server's own wherever a {@code
 * search_path} allows it. PostgreSQL takes a better match from any schema in the path, even from
 * one after {@code pg_catalog}. A statement that calls a shadow fails.
 *
 * <p>The schema shadows the names of common types, and whatever the given statements use. Each
 * operator is shadowed for all pairs of common types. Each function is shadowed with its own
 * argument types, with common types in place of polymorphic ones, and with one argument at a time
 * replaced by each common type.
 */
public final class ShadowSchema {

  private static final Pattern STRINGS = Pattern.compile("'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"");
  private static final Pattern CALLS = Pattern.compile("\\b([a-z_][a-z_0-9]*)\\s*\\(");
  private static final Pattern OPERATORS = Pattern.compile("[-+*/<>=~!@#%^&|]+");

  /**
   * Creates shadows whose result type no statement accepts, so most statements fail when they are
   * parsed.
   */
  private static final String GENERATE =
      """
      CREATE SCHEMA %1$s;
      CREATE TYPE %1$s.trap AS (hijacked pg_catalog.bool);
      DO $do$
      DECLARE
        common pg_catalog.text[] := '{smallint,integer,bigint,numeric,double precision,text,character varying,name,timestamp with time zone,interval,jsonb,boolean,oid,text[],bigint[]}';
        made pg_catalog.text;
      BEGIN
        FOR made IN
          SELECT pg_catalog.format('CREATE FUNCTION %1$s.%%I(%%s) RETURNS %1$s.trap LANGUAGE plpgsql AS $$ BEGIN RAISE ''a shadow was called: %%s(%%s)''; END $$',
                                   name, pg_catalog.array_to_string(types, ','), name, pg_catalog.array_to_string(types, ','))
            FROM (
              WITH own AS (
                SELECT p.proname AS name, p.provariadic <> 0 AS is_variadic,
                       ARRAY(SELECT pg_catalog.format_type(t, NULL) FROM pg_catalog.unnest(p.proargtypes) WITH ORDINALITY AS a (t, n) ORDER BY n) AS types,
                       ARRAY(SELECT y.typtype = 'p' FROM pg_catalog.unnest(p.proargtypes) WITH ORDINALITY AS a (t, n) JOIN pg_catalog.pg_type y ON y.oid = t ORDER BY n) AS is_pseudo
                  FROM pg_catalog.pg_proc p
                 WHERE p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace AND p.proname = ANY ('{%2$s}'))
              SELECT name, types FROM own WHERE NOT true = ANY (is_pseudo)
              UNION
              SELECT name, ARRAY(SELECT CASE WHEN types[n] IN ('anyarray', 'anycompatiblearray') THEN t || '[]'
                                             WHEN is_pseudo[n] THEN t ELSE types[n] END FROM pg_catalog.generate_subscripts(types, 1) n)
                FROM own, pg_catalog.unnest(common) t WHERE true = ANY (is_pseudo) AND t NOT LIKE '%%[]'
              UNION
              SELECT name, pg_catalog.array_fill(t, ARRAY[n]) FROM own, pg_catalog.unnest(common) t, pg_catalog.generate_series(1, 4) n WHERE is_variadic
              UNION
              SELECT name, types[:n - 1] || t || types[n + 1:]
                FROM own, pg_catalog.unnest(common) t, pg_catalog.generate_subscripts(types, 1) n
               WHERE NOT true = ANY (is_pseudo[:n - 1] || is_pseudo[n + 1:])) AS wanted (name, types)
        LOOP
          EXECUTE made;
        END LOOP;
        FOR made IN
          SELECT pg_catalog.format('CREATE FUNCTION %1$s.operator(%%s, %%s) RETURNS %1$s.trap LANGUAGE plpgsql AS $$ BEGIN RAISE ''a shadow operator was called: %%s, %%s''; END $$', l, r, l, r)
            FROM pg_catalog.unnest(common) l, pg_catalog.unnest(common) r
        LOOP
          EXECUTE made;
        END LOOP;
        FOR made IN
          SELECT pg_catalog.format('CREATE OPERATOR %1$s.%%s (LEFTARG = %%s, RIGHTARG = %%s, FUNCTION = %1$s.operator)', o, l, r)
            FROM pg_catalog.unnest('{%3$s}'::pg_catalog.text[]) o, pg_catalog.unnest(common) l, pg_catalog.unnest(common) r
           WHERE EXISTS (SELECT FROM pg_catalog.pg_operator WHERE oprname = o)
        LOOP
          EXECUTE made;
        END LOOP;
        FOR made IN
          SELECT pg_catalog.format('CREATE DOMAIN %1$s.%%I AS pg_catalog.%%I CHECK (VALUE IS NULL)', t, t)
            FROM pg_catalog.unnest('{int2,int4,int8,numeric,float8,text,varchar,name,timestamptz,interval,json,jsonb,bool,oid,bytea,uuid,regclass,timestamp,date}'::pg_catalog.text[]) t
        LOOP
          EXECUTE made;
        END LOOP;
        GRANT USAGE ON SCHEMA %1$s TO PUBLIC;
      END $do$
      """;

  private ShadowSchema() {}

  /**
   * Creates the schema.
   *
   * @param connection a connection of a user that may create schemas
   * @param name the name of the schema, quoted for SQL if necessary
   * @param statements the statements whose functions and operators are shadowed
   * @throws SQLException if the schema cannot be created
   */
  public static void create(Connection connection, String name, Collection<String> statements)
      throws SQLException {
    TreeSet<String> functions = new TreeSet<>();
    TreeSet<String> operators = new TreeSet<>();
    for (String sql : statements) {
      String code = STRINGS.matcher(sql).replaceAll(" ");
      for (Matcher call = CALLS.matcher(code); call.find(); ) {
        functions.add(call.group(1));
      }
      for (Matcher symbol = OPERATORS.matcher(code); symbol.find(); ) {
        operators.add(symbol.group());
      }
    }
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET search_path = pg_catalog");
      statement.execute(
          GENERATE.formatted(
              name,
              String.join(",", functions),
              operators.stream()
                  .map(operator -> '"' + operator + '"')
                  .collect(Collectors.joining(","))));
      statement.execute("RESET search_path");
    }
  }
}
