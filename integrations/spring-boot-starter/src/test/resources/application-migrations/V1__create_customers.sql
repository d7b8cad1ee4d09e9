CREATE TABLE customers (id bigint PRIMARY KEY);
