//! Textual forms of tokens, syntax tree and HIR for `--emit` and tests. All are deterministic.
use super::ast::{self, *};
use super::lex::{Number, Token, TokenKind};
use super::{hir, pp};
use crate::source::{Interner, SourceMap};
use crate::stack::on_large_stack;
use std::fmt::Write;

/// One token a line: position, kind, text.
pub fn dump_tokens(output: &pp::Output, names: &Interner, sources: &SourceMap) -> String {
    let mut out = String::new();
    for t in &output.tokens {
        let p = sources.position(t.span);
        let _ = writeln!(out, "{}:{}:{} {} {}", p.file, p.line, p.column, kind(t), t.spelling(names));
    }
    out
}

/// The text after preprocessing, line by line as it was; `#line` where another file or a distant line begins.
pub fn preprocessed_text(output: &pp::Output, names: &Interner, sources: &SourceMap) -> String {
    let mut out = String::new();
    let (mut file, mut line) = (String::new(), 0);
    for t in output.tokens.iter().filter(|t| t.kind != TokenKind::Eof) {
        let p = sources.position(t.span);
        if p.file != file || p.line < line || p.line > line + 8 {
            let _ =
                writeln!(out, "{}#line {} \"{}\"", if out.is_empty() { "" } else { "\n" }, p.line, p.file);
            (file, line) = (p.file, p.line);
        } else if p.line > line {
            out += &"\n".repeat((p.line - line) as usize);
            line = p.line;
        } else {
            // Tokens of macros may touch where the source has a space.
            out += " ";
        }
        out += t.spelling(names);
    }
    out + "\n"
}

fn kind(t: &Token) -> &'static str {
    match t.kind {
        TokenKind::Ident => "name",
        TokenKind::Number => "number",
        TokenKind::Str => "string",
        TokenKind::Char => "character",
        TokenKind::Bad(_) => "bad",
        TokenKind::Eof => "end",
        _ => "punctuation",
    }
}

/// The HIR as text.
pub fn dump_hir(module: &hir::Module) -> String {
    on_large_stack(|| hir::print::print(module))
}

/// The syntax tree as indented text, with expressions fully parenthesised.
pub fn dump_ast(ast: &Ast, names: &Interner) -> String {
    on_large_stack(|| {
        let mut d = Dump { ast, names, out: String::new(), indent: 0 };
        for item in &ast.items {
            d.item(item);
        }
        d.out
    })
}

struct Dump<'a> {
    ast: &'a Ast,
    names: &'a Interner,
    out: String,
    indent: usize,
}

impl Dump<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", self.indent * 2);
    }

    fn name(&self, n: Name) -> &str {
        self.names.name(n.text)
    }

    fn path(&self, p: &Path) -> String {
        let parts: Vec<_> = p.parts.iter().map(|n| self.name(*n)).collect();
        let args = p.args.as_ref().map_or(String::new(), |a| self.template_args(a));
        format!("{}{}{args}", if p.global { "::" } else { "" }, parts.join("::"))
    }

    fn template_args(&self, args: &[TemplateArg]) -> String {
        let list: Vec<_> = args
            .iter()
            .map(|a| match a {
                TemplateArg::Type(t) => self.ty(t),
                TemplateArg::Expr(e) => self.expr(*e),
            })
            .collect();
        format!("<{}>", list.join(", "))
    }

    fn ty(&self, t: &TypeExpr) -> String {
        let mut text: String = t.quals.words().fold(String::new(), |s, w| s + w + " ");
        text += &match &t.kind {
            TypeKind::Named(p) => self.path(p),
            TypeKind::Struct(s) => format!("struct {}", s.name.map_or("", |n| self.name(n))),
            TypeKind::Enum(e) => format!("enum {}", e.name.map_or("", |n| self.name(n))),
            TypeKind::Auto => "auto".into(),
            TypeKind::Error => "<error>".into(),
        };
        text + &self.dims(&t.dims)
    }

    fn dims(&self, dims: &[Option<ExprId>]) -> String {
        dims.iter().map(|d| format!("[{}]", d.map_or(String::new(), |e| self.expr(e)))).collect()
    }

    fn attrs(&mut self, attrs: &[Attribute]) {
        for a in attrs {
            let scope = a.scope.map_or(String::new(), |s| format!("{}::", self.name(s)));
            let args: Vec<_> = a.args.iter().map(|&e| self.expr(e)).collect();
            let text = format!("[{scope}{}({})]", self.name(a.name), args.join(", "));
            self.line(&text);
        }
    }

    fn declarator(&self, d: &Declarator) -> String {
        let mut text = format!("{}{}", self.name(d.name), self.dims(&d.dims));
        for a in &d.annotations {
            text += &self.annotation(a);
        }
        if let Some(init) = d.init {
            let _ = write!(text, " = {}", self.expr(init));
        }
        text
    }

    fn annotation(&self, a: &Annotation) -> String {
        match a {
            Annotation::Semantic(n) => format!(" : {}", self.name(*n)),
            Annotation::Register(words, _) => {
                let words: Vec<_> = words.iter().map(|w| self.name(*w)).collect();
                format!(" : register({})", words.join(", "))
            }
            Annotation::PackOffset(at, c, _) => {
                let c = c.map_or(String::new(), |c| format!(".{}", self.name(c)));
                format!(" : packoffset({}{c})", self.name(*at))
            }
        }
    }

    fn nested(&mut self, items: &[Item]) {
        self.indent += 1;
        for i in items {
            self.item(i);
        }
        self.indent -= 1;
    }

    fn vars(&mut self, word: &str, decl: &VarDecl) {
        match &decl.ty.kind {
            TypeKind::Struct(s) => {
                let bases: Vec<_> = s.bases.iter().map(|b| self.ty(b)).collect();
                let bases = if bases.is_empty() { String::new() } else { format!(" : {}", bases.join(", ")) };
                let text = format!("{}{bases}", self.ty(&decl.ty));
                self.line(&text);
                if let Some(members) = &s.members {
                    self.nested(members);
                }
            }
            TypeKind::Enum(e) => {
                let values: Vec<_> = e
                    .values
                    .iter()
                    .map(|(n, v)| match v {
                        Some(v) => format!("{} = {}", self.name(*n), self.expr(*v)),
                        None => self.name(*n).to_string(),
                    })
                    .collect();
                let text = format!("{} {{ {} }}", self.ty(&decl.ty), values.join(", "));
                self.line(&text);
            }
            _ => {}
        }
        for d in &decl.declarators {
            let text = format!("{word} {} {}", self.ty(&decl.ty), self.declarator(d));
            self.line(&text);
        }
    }

    fn item(&mut self, item: &Item) {
        self.attrs(&item.attrs);
        match &item.kind {
            ItemKind::Vars(decl) => self.vars("var", decl),
            ItemKind::Typedef(decl) => self.vars("typedef", decl),
            ItemKind::Function(f) => {
                let params: Vec<_> = f
                    .params
                    .iter()
                    .map(|p| format!("{} {}", self.ty(&p.ty), self.declarator(&p.decl)))
                    .collect();
                let semantics: String = f.annotations.iter().map(|a| self.annotation(a)).collect();
                let constant = if f.is_const { " const" } else { "" };
                let text = format!(
                    "function {} {}({}){constant}{semantics}",
                    self.ty(&f.ret),
                    self.path(&f.name),
                    params.join(", ")
                );
                self.line(&text);
                if let Some(body) = &f.body {
                    self.stmts(body);
                }
            }
            ItemKind::Buffer(b) => {
                let annotations: String = b.annotations.iter().map(|a| self.annotation(a)).collect();
                let word = if b.texture { "tbuffer" } else { "cbuffer" };
                let text = format!("{word} {}{annotations}", self.name(b.name));
                self.line(&text);
                self.nested(&b.members);
            }
            ItemKind::Namespace(n, items) => {
                let text = format!("namespace {}", self.name(*n));
                self.line(&text);
                self.nested(items);
            }
            ItemKind::Template(params, inner) => {
                let params: Vec<_> = params
                    .iter()
                    .map(|p| {
                        let ty = p.ty.as_ref().map_or("typename".into(), |t| self.ty(t));
                        format!("{ty} {}", p.name.map_or("", |n| self.name(n)))
                    })
                    .collect();
                self.line(&format!("template<{}>", params.join(", ")));
                self.nested(std::slice::from_ref(inner));
            }
            ItemKind::UsingNamespace(_) => self.line("using namespace"),
            ItemKind::UsingName(_) => self.line("using"),
            ItemKind::StaticAssert(e, _) => {
                let text = format!("static_assert {}", self.expr(*e));
                self.line(&text);
            }
            ItemKind::Unsupported(what) => self.line(&format!("unsupported {what}")),
            ItemKind::Empty => {}
        }
    }

    fn stmts(&mut self, list: &[Stmt]) {
        self.indent += 1;
        for s in list {
            self.stmt(s);
        }
        self.indent -= 1;
    }

    fn stmt(&mut self, s: &Stmt) {
        self.attrs(&s.attrs);
        match &s.kind {
            ast::StmtKind::Expr(e) => {
                let text = self.expr(*e);
                self.line(&text);
            }
            ast::StmtKind::Item(i) => self.item(i),
            ast::StmtKind::Block(b) => {
                self.line("block");
                self.stmts(b);
            }
            ast::StmtKind::If(c, then, otherwise) => {
                let text = format!("if {}", self.expr(*c));
                self.line(&text);
                self.stmts(std::slice::from_ref(then));
                if let Some(o) = otherwise {
                    self.line("else");
                    self.stmts(std::slice::from_ref(o));
                }
            }
            ast::StmtKind::For { init, cond, step, body } => {
                self.line("for");
                self.indent += 1;
                if let Some(i) = init {
                    self.stmt(i);
                }
                let part = |e: &Option<ExprId>| e.map_or(String::new(), |e| self.expr(e));
                let text = format!("; {}; {}", part(cond), part(step));
                self.line(&text);
                self.indent -= 1;
                self.stmts(std::slice::from_ref(body));
            }
            ast::StmtKind::While(c, body) => {
                let text = format!("while {}", self.expr(*c));
                self.line(&text);
                self.stmts(std::slice::from_ref(body));
            }
            ast::StmtKind::Do(body, c) => {
                self.line("do");
                self.stmts(std::slice::from_ref(body));
                let text = format!("while {}", self.expr(*c));
                self.line(&text);
            }
            ast::StmtKind::Switch(v, body) => {
                let text = format!("switch {}", self.expr(*v));
                self.line(&text);
                self.stmts(body);
            }
            ast::StmtKind::Case(v) => {
                let text = format!("case {}", self.expr(*v));
                self.line(&text);
            }
            ast::StmtKind::Default => self.line("default"),
            ast::StmtKind::Break => self.line("break"),
            ast::StmtKind::Continue => self.line("continue"),
            ast::StmtKind::Return(v) => {
                let text = format!("return {}", v.map_or(String::new(), |e| self.expr(e)));
                self.line(text.trim_end());
            }
            ast::StmtKind::Discard => self.line("discard"),
            ast::StmtKind::Empty => self.line("empty"),
        }
    }

    fn list(&self, list: &[ExprId]) -> String {
        list.iter().map(|&e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    fn expr(&self, id: ExprId) -> String {
        match &self.ast.expr(id).kind {
            ast::ExprKind::Number(Number::Int(v, s)) => format!("{v}{}", suffix(&format!("{s:?}"))),
            ast::ExprKind::Number(Number::Float(v, s)) => format!("{v:?}{}", suffix(&format!("{s:?}"))),
            ast::ExprKind::Bool(b) => b.to_string(),
            ast::ExprKind::Str(s) => format!("{:?}", self.names.name(*s)),
            ast::ExprKind::Path(p) => self.path(self.ast.path(*p)),
            ast::ExprKind::This => "this".into(),
            ast::ExprKind::Prefix(op, a) => format!("({op:?} {})", self.expr(*a)),
            ast::ExprKind::Postfix(minus, a) => {
                format!("({} {})", if *minus { "PostDec" } else { "PostInc" }, self.expr(*a))
            }
            ast::ExprKind::Binary(op, a, b) => {
                format!("({} {} {})", self.expr(*a), op.symbol(), self.expr(*b))
            }
            ast::ExprKind::Assign(op, a, b) => {
                format!("({} {}= {})", self.expr(*a), op.map_or("", BinOp::symbol), self.expr(*b))
            }
            ast::ExprKind::Ternary(c, a, b) => {
                format!("({} ? {} : {})", self.expr(*c), self.expr(*a), self.expr(*b))
            }
            ast::ExprKind::Cast(t, a) => format!("(({}){})", self.ty(self.ast.type_expr(*t)), self.expr(*a)),
            ast::ExprKind::Call(f, args) => format!("{}({})", self.expr(*f), self.list(self.ast.list(*args))),
            ast::ExprKind::Member(a, n, args) => {
                let args = args.map_or(String::new(), |a| self.template_args(self.ast.args(a)));
                format!("{}.{}{args}", self.expr(*a), self.name(*n))
            }
            ast::ExprKind::Index(a, i) => format!("{}[{}]", self.expr(*a), self.expr(*i)),
            ast::ExprKind::InitList(list) => format!("{{{}}}", self.list(self.ast.list(*list))),
            ast::ExprKind::Comma(a, b) => format!("({}, {})", self.expr(*a), self.expr(*b)),
            ast::ExprKind::SizeofType(t) => format!("sizeof({})", self.ty(self.ast.type_expr(*t))),
            ast::ExprKind::SizeofExpr(e) => format!("sizeof({})", self.expr(*e)),
            ast::ExprKind::Paren(e) => self.expr(*e),
            ast::ExprKind::Error => "<error>".into(),
        }
    }
}

fn suffix(kind: &str) -> String {
    if kind == "None" { String::new() } else { kind.to_ascii_lowercase() }
}
