-- The application's own tables. The queue's tables have migrations of their own, in the schema skipjack.
CREATE TABLE orders (
  id       uuid   PRIMARY KEY,
  customer text   NOT NULL,
  cents    bigint NOT NULL CHECK (cents > 0),
  status   text   NOT NULL
);

-- A real shop would make order_id unique. Here nothing but the transaction of the handler prevents a second charge.
CREATE TABLE charges (
  id       uuid   PRIMARY KEY,
  order_id uuid   NOT NULL REFERENCES orders,
  cents    bigint NOT NULL
);

CREATE TABLE confirmations (
  order_id uuid NOT NULL REFERENCES orders
);

CREATE TABLE reports (
  planned_at timestamptz NOT NULL,
  cents      bigint      NOT NULL
);
