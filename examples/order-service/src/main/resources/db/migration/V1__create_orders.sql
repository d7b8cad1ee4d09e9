CREATE TABLE orders (
  number    text        NOT NULL PRIMARY KEY,
  email     text        NOT NULL,
  cents     integer     NOT NULL CHECK (cents > 0),
  placed_at timestamptz NOT NULL DEFAULT now(),
  paid_at   timestamptz
);
