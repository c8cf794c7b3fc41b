-- The shop, as SQL Server's tools have it.
CREATE TABLE [dbo].[category] (
    [category_code] NVARCHAR(10) NOT NULL,
    [name] NVARCHAR(60) NOT NULL,
    [sort_order] SMALLINT NOT NULL DEFAULT ((0)),
    CONSTRAINT [pk_category] PRIMARY KEY CLUSTERED ([category_code] ASC)
)
GO
CREATE TABLE dbo.supplier (
    supplier_id INT IDENTITY(1,1) NOT NULL PRIMARY KEY,
    name NVARCHAR(60) NOT NULL,
    phone VARCHAR(20) NULL
)
GO
CREATE TABLE dbo.product (
    product_id INT IDENTITY(1,1) NOT NULL PRIMARY KEY,
    category_code NVARCHAR(10) NOT NULL,
    name NVARCHAR(80) NOT NULL,
    description NVARCHAR(255) NULL,
    CONSTRAINT fk_product_category FOREIGN KEY (category_code) REFERENCES dbo.category (category_code),
    INDEX ix_product_category NONCLUSTERED (category_code)
)
GO
CREATE TABLE dbo.item (
    item_code NVARCHAR(12) NOT NULL PRIMARY KEY,
    product_id INT NOT NULL,
    supplier_id INT NULL,
    list_price DECIMAL(10,2) NOT NULL,
    unit_cost DECIMAL(10,2) NULL,
    attribute NVARCHAR(60) NULL,
    discontinued BIT NOT NULL DEFAULT 0,
    CONSTRAINT fk_item_product FOREIGN KEY (product_id) REFERENCES dbo.product (product_id),
    CONSTRAINT fk_item_supplier FOREIGN KEY (supplier_id) REFERENCES dbo.supplier (supplier_id)
)
GO
CREATE INDEX ix_item_product ON dbo.item (product_id)
GO
CREATE TABLE dbo.inventory (
    item_code NVARCHAR(12) NOT NULL PRIMARY KEY,
    qty INT NOT NULL DEFAULT 0,
    CONSTRAINT fk_inventory_item FOREIGN KEY (item_code) REFERENCES dbo.item (item_code),
    CONSTRAINT ck_inventory_qty CHECK (qty >= 0)
)
GO
CREATE TABLE dbo.account (
    account_id INT IDENTITY(1,1) NOT NULL,
    user_name NVARCHAR(40) NOT NULL,
    password VARCHAR(40) NOT NULL,
    email NVARCHAR(80) NOT NULL,
    status CHAR(1) NOT NULL DEFAULT 'A',
    created DATETIME2 NOT NULL DEFAULT GETDATE(),
    CONSTRAINT pk_account PRIMARY KEY (account_id),
    CONSTRAINT uq_account_user_name UNIQUE (user_name)
)
GO
CREATE TABLE dbo.profile (
    account_id INT NOT NULL PRIMARY KEY,
    full_name NVARCHAR(80) NOT NULL,
    language VARCHAR(10) NOT NULL DEFAULT 'en',
    favourite_category NVARCHAR(10) NULL,
    newsletter BIT NOT NULL DEFAULT 1,
    CONSTRAINT fk_profile_account FOREIGN KEY (account_id) REFERENCES dbo.account (account_id),
    CONSTRAINT fk_profile_category FOREIGN KEY (favourite_category) REFERENCES dbo.category (category_code)
)
GO
CREATE TABLE dbo.cart (
    cart_id INT IDENTITY(1,1) NOT NULL PRIMARY KEY,
    account_id INT NOT NULL CONSTRAINT uq_cart_account UNIQUE,
    CONSTRAINT fk_cart_account FOREIGN KEY (account_id) REFERENCES dbo.account (account_id)
)
GO
CREATE TABLE dbo.cart_line (
    cart_id INT NOT NULL,
    item_code NVARCHAR(12) NOT NULL,
    quantity INT NOT NULL,
    CONSTRAINT pk_cart_line PRIMARY KEY (cart_id, item_code),
    CONSTRAINT fk_cart_line_cart FOREIGN KEY (cart_id) REFERENCES dbo.cart (cart_id),
    CONSTRAINT fk_cart_line_item FOREIGN KEY (item_code) REFERENCES dbo.item (item_code)
)
GO
CREATE TABLE dbo.purchase_order (
    order_id INT IDENTITY(1000,1) NOT NULL PRIMARY KEY,
    account_id INT NOT NULL,
    placed DATETIME2 NOT NULL,
    status NVARCHAR(10) NOT NULL DEFAULT N'NEW',
    ship_to NVARCHAR(120) NOT NULL,
    total DECIMAL(12,2) NOT NULL,
    notes NVARCHAR(MAX) NULL,
    CONSTRAINT fk_order_account FOREIGN KEY (account_id) REFERENCES dbo.account (account_id)
)
GO
CREATE INDEX ix_order_account ON dbo.purchase_order (account_id)
GO
CREATE TABLE dbo.order_line (
    line_id INT IDENTITY(1,1) NOT NULL PRIMARY KEY,
    order_id INT NOT NULL,
    line_number SMALLINT NOT NULL,
    item_code NVARCHAR(12) NOT NULL,
    quantity INT NOT NULL,
    unit_price DECIMAL(10,2) NOT NULL,
    CONSTRAINT uq_order_line UNIQUE (order_id, line_number),
    CONSTRAINT fk_order_line_order FOREIGN KEY (order_id) REFERENCES dbo.purchase_order (order_id)
)
GO
CREATE INDEX ix_order_line_order ON dbo.order_line (order_id)
GO
